import type { Command } from 'commander';
import { addOneServerFlags, connect, type OneServerFlags } from '../config/server.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { listMutators } from './list-mutators.js';
import { mutatorToJson } from './mutator-json.js';
import { mutatorTable } from './mutator-text.js';

export function configure(command: Command): void {
  addFormatOption(addOneServerFlags(command)).addHelpText(
    'after',
    `
Exit codes: 0 done, 2 wrong usage, 4 the server cannot be used.

Examples:
  perturb mutators list --server http://127.0.0.1:8080
  perturb mutators list --server bench --format json
`,
  );
}

export async function run(
  context: Context,
  _args: readonly unknown[],
  flags: OneServerFlags & FormatFlags,
): Promise<ExitCode> {
  const { io } = context;
  const mutators = await listMutators(io, await connect(io, flags));
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ mutators: mutators.map(mutatorToJson) })
      : mutatorTable(mutators, lookOf(context)),
  );
  return exitCodes.ok;
}
