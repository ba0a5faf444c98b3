import type { Configure, Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { logEntryToJson, logTable } from './objective-text.js';
import { addStoreFlags, noObjective, type StoreFlags, withStore } from './store.js';

export const help = `
Lists all revisions of an objective, the newest first, even if it is deleted.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective log "Drone in wind"
  perturb objective log "Drone in wind" --format json
`;

export const configure: Configure = (command) => {
  addFormatOption(addStoreFlags(command.argument('<name>', 'the name of the objective')));
};

export const run: Run<StoreFlags & FormatFlags, [string]> = async (context, [name], flags) => {
  const revisions = await withStore(context, flags, async (store) => {
    const found = await store.log(name);
    if (found.length === 0) throw await noObjective(store, name);
    return found;
  });
  return printResult(
    context,
    flags,
    () => ({ name, revisions: revisions.map(logEntryToJson) }),
    (look) => logTable(revisions, look),
  );
};
