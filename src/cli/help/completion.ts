import type { Command } from 'commander';
import type { CommandModule } from '../runtime/command.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { type ShellName, shells } from './shells.js';

/** The command that prints the completion script for a shell. */
export function completion(shell: ShellName): CommandModule {
  const { script, install, example } = shells[shell];
  return {
    configure(command: Command) {
      command.addHelpText(
        'after',
        `
It completes commands, flags, their values, rule ids and files.

${install}

Example:
  ${example}
`,
      );
    },
    run({ io }) {
      io.stdout.write(script);
      return exitCodes.ok;
    },
  };
}
