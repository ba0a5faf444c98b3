import { Command } from 'commander';
import { version } from '../../version.js';

/** The program itself: what it is, and the flags that come before or after any command. */
export function rootCommand(): Command {
  return new Command('perturb')
    .description('Check, run and measure experiment objectives, and serve mutators safely.')
    .version(version, '-V, --version', 'show the version')
    .option('--color', 'colour the output, even when it is not a terminal')
    .option('--no-color', 'never colour the output')
    .option('--debug', 'show the stack of an internal error')
    .helpOption('-h, --help', 'show this help');
}
