import { Option } from 'commander';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { objectivePage, revisionToJson } from './objective-text.js';
import { addStoreFlags, findRevision, type StoreFlags, withStore } from './store.js';

interface Flags extends StoreFlags {
  readonly format: 'pretty' | 'toml' | 'json';
}

export const help = `
--format toml prints the file as it was registered.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective show "Drone in wind"
  perturb objective show "Drone in wind@2" --format toml
`;

export const configure: Configure = (command) => {
  command
    .argument('<objective>', 'NAME, or NAME@REVISION')
    .addOption(
      new Option('-f, --format <name>', 'how to print')
        .choices(['pretty', 'toml', 'json'])
        .default('pretty'),
    );
  addStoreFlags(command);
};

export const run: Run<Flags, [string]> = async (context, [word], flags) => {
  const revision = await withStore(context, flags, (store) => findRevision(store, word));
  const { format } = flags;
  if (format !== 'toml') {
    return printResult(
      context,
      { format },
      () => ({ objective: revisionToJson(revision) }),
      (look) => objectivePage(revision, look),
    );
  }
  context.io.stdout.write(new TextDecoder().decode(revision.original));
  return exitCodes.ok;
};
