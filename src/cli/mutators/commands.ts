import { ClientError, type MutatorClient } from '../../mutators/index.js';
import { visible } from '../../reporters/index.js';
import {
  addOneServerFlags,
  clientFailure,
  clientFor,
  findMutator,
  idText,
  listMutators,
  type OneServerFlags,
} from '../config/server.js';
import { type CommandModule, exitCodes, type Io, usageFailure } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { mutatorPage, mutatorTable, mutatorToJson } from './mutator-text.js';

/* What is asked of a mutator server without a mutation, a command each. */

type Flags = OneServerFlags & FormatFlags;

export const listOfMutators: CommandModule = {
  help: `
Exit codes: 0 done, 2 wrong usage, 4 the server cannot be used.

Examples:
  perturb mutators list --server http://127.0.0.1:8080
  perturb mutators list --server bench --format json
`,
  configure(command) {
    addFormatOption(addOneServerFlags(command));
  },
  async run(context, _args, flags: Flags) {
    const mutators = await listMutators(context.io, await clientFor(context.io, flags));
    const members = { mutators: mutators.map(mutatorToJson) };
    return printResult(context, flags, members, (look) => mutatorTable(mutators, look));
  },
};

export const inspectMutator: CommandModule = {
  help: `
Exit codes: 0 done, 2 wrong usage or no such mutator, 4 the server cannot be used.

Example:
  perturb mutators inspect wind --server http://127.0.0.1:8080
`,
  configure(command) {
    command.argument('<id>', 'the id of the mutator, as in the list');
    addFormatOption(addOneServerFlags(command));
  },
  async run(context, [id]: readonly [string], flags: Flags) {
    const mutators = await listMutators(context.io, await clientFor(context.io, flags));
    const mutator = findMutator(mutators, id);
    return printResult(context, flags, { mutator: mutatorToJson(mutator) }, (look) =>
      mutatorPage(mutator, look),
    );
  },
};

export const resetMutators: CommandModule = {
  help: `
Exit codes: 0 reset, 2 wrong usage or no such mutator, 4 a mutator could not be reset.

Examples:
  perturb mutators reset wind --server bench
  perturb mutators reset --all --server http://127.0.0.1:8080
`,
  configure(command) {
    command
      .argument('[id]', 'the id of the mutator, as in the list')
      .option('--all', 'reset every mutator of the server');
    addFormatOption(addOneServerFlags(command));
  },
  async run(context, [id]: readonly [string | undefined], flags: Flags & { readonly all?: true }) {
    const { io } = context;
    if ((id === undefined) === (flags.all === undefined)) {
      throw usageFailure('reset takes the id of one mutator, or --all');
    }
    const client = await clientFor(io, flags);
    const done: string[] = [];
    const failed: { readonly id: string; readonly message: string }[] = [];
    if (id !== undefined) {
      await resetOne(io, client, id);
      done.push(id);
    } else {
      for (const mutator of await listMutators(io, client)) {
        try {
          await client.reset(mutator.id);
          done.push(mutator.id);
        } catch (error) {
          // One that fails must not keep the others from being reset.
          if (!(error instanceof ClientError)) throw error;
          failed.push({ id: mutator.id, message: error.message });
        }
      }
    }
    for (const { message } of failed) io.stderr.write(`perturb: ${visible(message)}\n`);
    const isNone = flags.all === true && done.length === 0;
    printResult(context, flags, { reset: done, failed }, () =>
      isNone ? 'no mutator was reset\n' : done.map((one) => `reset ${idText(one)}\n`).join(''),
    );
    return failed.length > 0 ? exitCodes.unavailable : exitCodes.ok;
  },
};

/** Resets at once, whatever else the server is up to; asks for its mutators only to say what was meant. */
async function resetOne(io: Io, client: MutatorClient, id: string): Promise<void> {
  try {
    await client.reset(id);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'no-mutator') findMutator(await listMutators(io, client), id);
    throw clientFailure(error);
  }
}
