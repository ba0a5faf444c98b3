import {
  addOneServerFlags,
  clientFor,
  findMutator,
  listMutators,
  type OneServerFlags,
} from '../config/server.js';
import type { Configure, Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { mutatorPage, mutatorToJson } from './mutator-text.js';

export const help = `
Exit codes: 0 done, 2 wrong usage or no such mutator, 4 the server cannot be used.

Example:
  perturb mutators inspect wind --server http://127.0.0.1:8080
`;

export const configure: Configure = (command) => {
  command.argument('<id>', 'the id of the mutator, as in the list');
  addFormatOption(addOneServerFlags(command));
};

export const run: Run<OneServerFlags & FormatFlags, [string]> = async (context, [id], flags) => {
  const { io } = context;
  const mutator = findMutator(await listMutators(io, await clientFor(io, flags)), id);
  return printResult(
    context,
    flags,
    () => ({ mutator: mutatorToJson(mutator) }),
    (look) => mutatorPage(mutator, look),
  );
};
