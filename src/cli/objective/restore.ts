import type { Command } from 'commander';
import { quote } from '../../diagnostics/index.js';
import type { CommandContext } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/command.js';
import { addStoreFlags, noObjective, type StoreFlags, withStore } from './store.js';

export function configure(command: Command): void {
  command.argument('<name>', 'the name of the objective');
  addStoreFlags(command).addHelpText(
    'after',
    `
Brings back an objective that was deleted and not purged, with all its revisions.
Exit codes: 0 restored, or not deleted at all; 2 wrong usage or no such
objective, 4 the store cannot be used.

Example:
  perturb objective restore "Drone in wind"
`,
  );
}

export async function run(
  context: CommandContext,
  [name]: readonly [string],
  flags: StoreFlags,
): Promise<ExitCode> {
  return withStore(context, flags, async (store) => {
    const restored = await store.restore(name);
    if (!restored && (await store.find(name)) === undefined) throw await noObjective(store, name);
    context.io.stdout.write(`${restored ? 'restored' : 'not deleted:'} ${quote(name)}\n`);
    return exitCodes.ok;
  });
}
