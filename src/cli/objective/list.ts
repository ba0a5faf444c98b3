import { readConfig } from '../config/config.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { listedToJson, objectiveTable } from './objective-text.js';
import { addStoreFlags, type StoreFlags, withStoreOf } from './store.js';

interface Flags extends StoreFlags, FormatFlags {
  readonly deleted?: true;
}

export const help = `
Exit codes: 0 done, 2 wrong usage, 4 the store cannot be used.

Examples:
  perturb objective list
  perturb objective list --deleted
  perturb objective list --store sqlite:lab.db --format json
`;

export const configure: Configure = (command) => {
  addFormatOption(addStoreFlags(command)).option(
    '--deleted',
    'list those that were deleted instead',
  );
};

export const run: Run<Flags> = async (context, _args, flags) => {
  const { io } = context;
  const config = await readConfig(context, flags.config);
  // The store that nobody named comes with the first objective.
  const isNamed = flags.store !== undefined || config.storeUrl !== undefined;
  const deleted = flags.deleted === true;
  const objectives = await withStoreOf(
    context,
    flags,
    config,
    isNamed ? 'fail' : 'pretend',
    (store) => store.list({ deleted }),
  );
  printResult(
    context,
    flags,
    () => ({ objectives: objectives.map(listedToJson) }),
    (look) => objectiveTable(objectives, look),
  );
  if (objectives.length === 0 && !deleted) {
    io.stderr.write('perturb: register one with perturb objective create FILE\n');
  }
  return exitCodes.ok;
};
