import { resolve } from 'node:path';
import { writeFileAtomically } from '../files/write-file.js';
import {
  CommandFailure,
  type Configure,
  exitCodes,
  fileErrorReason,
  type Run,
} from '../runtime/command.js';
import { addStoreFlags, findRevision, type StoreFlags, withStore } from './store.js';

interface Flags extends StoreFlags {
  readonly output?: string;
}

export const help = `
Writes the exact bytes of the file that was registered.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective export "Drone in wind" -o wind.objective.toml
  perturb objective export "Drone in wind@2" > wind.objective.toml
`;

export const configure: Configure = (command) => {
  command
    .argument('<objective>', 'NAME, or NAME@REVISION')
    .option('-o, --output <file>', 'the file to write (default: stdout)');
  addStoreFlags(command);
};

export const run: Run<Flags, [string]> = async (context, [word], flags) => {
  const { io } = context;
  const { original } = await withStore(context, flags, (store) => findRevision(store, word));
  if (flags.output === undefined) {
    // What is registered is UTF-8; the BOM stays.
    io.stdout.write(new TextDecoder('utf-8', { ignoreBOM: true }).decode(original));
    return exitCodes.ok;
  }
  try {
    writeFileAtomically(resolve(io.cwd, flags.output), original);
  } catch (error) {
    throw new CommandFailure(
      exitCodes.usage,
      `cannot write ${flags.output}: ${fileErrorReason(error)}`,
    );
  }
  return exitCodes.ok;
};
