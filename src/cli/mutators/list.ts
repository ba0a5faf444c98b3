import type { Command } from 'commander';
import {
  addOneServerFlags,
  clientFor,
  listMutators,
  type OneServerFlags,
} from '../config/server.js';
import type { CommandContext } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/command.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { tableLook } from '../terminal/look.js';
import { versioned } from '../terminal/versioned-json.js';
import { mutatorTable, mutatorToJson } from './mutator-text.js';

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
  context: CommandContext,
  _args: readonly unknown[],
  flags: OneServerFlags & FormatFlags,
): Promise<ExitCode> {
  const { io } = context;
  const mutators = await listMutators(io, await clientFor(io, flags));
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ mutators: mutators.map(mutatorToJson) })
      : mutatorTable(mutators, tableLook(context)),
  );
  return exitCodes.ok;
}
