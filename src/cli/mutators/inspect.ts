import type { Command } from 'commander';
import { addOneServerFlags, connect, type OneServerFlags } from '../config/server.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { findMutator, listMutators } from './list-mutators.js';
import { mutatorToJson } from './mutator-json.js';
import { mutatorPage } from './mutator-text.js';

export function configure(command: Command): void {
  command.argument('<id>', 'the id of the mutator, as in the list');
  addFormatOption(addOneServerFlags(command)).addHelpText(
    'after',
    `
Exit codes: 0 done, 2 wrong usage or no such mutator, 4 the server cannot be used.

Example:
  perturb mutators inspect wind --server http://127.0.0.1:8080
`,
  );
}

export async function run(
  context: Context,
  [id]: readonly [string],
  flags: OneServerFlags & FormatFlags,
): Promise<ExitCode> {
  const { io } = context;
  const mutator = findMutator(await listMutators(io, await connect(io, flags)), id);
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ mutator: mutatorToJson(mutator) })
      : mutatorPage(mutator, lookOf(context)),
  );
  return exitCodes.ok;
}
