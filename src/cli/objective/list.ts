import type { Command } from 'commander';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { listedToJson } from './objective-json.js';
import { objectiveTable } from './objective-text.js';
import { addStoreFlags, type StoreFlags, withStore } from './store.js';

export function configure(command: Command): void {
  addFormatOption(addStoreFlags(command)).addHelpText(
    'after',
    `
Exit codes: 0 done, 2 wrong usage, 4 the store can't be used.

Examples:
  perturb objective list
  perturb objective list --store sqlite:lab.db --format json
`,
  );
}

export async function run(
  context: Context,
  _args: readonly unknown[],
  flags: StoreFlags & FormatFlags,
): Promise<ExitCode> {
  const objectives = await withStore(context, flags, (store) => store.list());
  context.io.stdout.write(
    flags.format === 'json'
      ? versioned({ objectives: objectives.map(listedToJson) })
      : objectiveTable(objectives, lookOf(context)),
  );
  return exitCodes.ok;
}
