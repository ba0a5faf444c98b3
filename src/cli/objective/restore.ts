import { quote } from '../../diagnostics/index.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { addStoreFlags, noObjective, type StoreFlags, withStore } from './store.js';

export const help = `
Brings back an objective that was deleted and not purged, with all its revisions.
Exit codes: 0 restored, or not deleted at all; 2 wrong usage or no such
objective, 4 the store cannot be used.

Example:
  perturb objective restore "Drone in wind"
`;

export const configure: Configure = (command) => {
  command.argument('<name>', 'the name of the objective');
  addStoreFlags(command);
};

export const run: Run<StoreFlags, [string]> = async (context, [name], flags) => {
  return withStore(context, flags, async (store) => {
    const restored = await store.restore(name);
    if (!restored && (await store.find(name)) === undefined) throw await noObjective(store, name);
    context.io.stdout.write(`${restored ? 'restored' : 'not deleted:'} ${quote(name)}\n`);
    return exitCodes.ok;
  });
};
