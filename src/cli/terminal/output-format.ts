import { type Command, Option } from 'commander';

export interface FormatFlags {
  readonly format: 'pretty' | 'json';
}

/** Adds `--format pretty|json` for what a command prints. */
export function addFormatOption(command: Command): Command {
  return command.addOption(
    new Option('-f, --format <name>', 'how to print').choices(['pretty', 'json']).default('pretty'),
  );
}

export { lookOf } from './look.js';
