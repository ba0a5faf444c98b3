import { type Command, Option } from 'commander';
import type { Context } from '../runtime/command.js';
import { wantsColor } from '../runtime/io.js';
import type { Look } from './table.js';

export interface FormatFlags {
  readonly format: 'pretty' | 'json';
}

/** Adds `--format pretty|json` for what a command prints. */
export function addFormatOption(command: Command): Command {
  return command.addOption(
    new Option('-f, --format <name>', 'how to print').choices(['pretty', 'json']).default('pretty'),
  );
}

/** How tables look on a command's output. */
export function lookOf({ io, color }: Context): Look {
  const bold = wantsColor(io.stdout, io.env, color);
  return {
    ...(io.stdout.isTTY && io.stdout.columns !== undefined && { width: io.stdout.columns }),
    title: (text) => (bold ? `\x1b[1m${text}\x1b[22m` : text),
  };
}
