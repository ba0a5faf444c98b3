import {
  addOneServerFlags,
  clientFor,
  listMutators,
  type OneServerFlags,
} from '../config/server.js';
import type { Configure, Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { mutatorTable, mutatorToJson } from './mutator-text.js';

export const help = `
Exit codes: 0 done, 2 wrong usage, 4 the server cannot be used.

Examples:
  perturb mutators list --server http://127.0.0.1:8080
  perturb mutators list --server bench --format json
`;

export const configure: Configure = (command) => {
  addFormatOption(addOneServerFlags(command));
};

export const run: Run<OneServerFlags & FormatFlags> = async (context, _args, flags) => {
  const { io } = context;
  const mutators = await listMutators(io, await clientFor(io, flags));
  return printResult(
    context,
    flags,
    () => ({ mutators: mutators.map(mutatorToJson) }),
    (look) => mutatorTable(mutators, look),
  );
};
