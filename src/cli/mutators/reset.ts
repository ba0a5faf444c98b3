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
import {
  CommandFailure,
  type Configure,
  exitCodes,
  type Io,
  type Run,
} from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';

interface Flags extends OneServerFlags, FormatFlags {
  readonly all?: true;
}

export const help = `
Exit codes: 0 reset, 2 wrong usage or no such mutator, 4 a mutator could not be reset.

Examples:
  perturb mutators reset wind --server bench
  perturb mutators reset --all --server http://127.0.0.1:8080
`;

export const configure: Configure = (command) => {
  command
    .argument('[id]', 'the id of the mutator, as in the list')
    .option('--all', 'reset every mutator of the server');
  addFormatOption(addOneServerFlags(command));
};

export const run: Run<Flags, [string | undefined]> = async (context, [id], flags) => {
  const { io } = context;
  if ((id === undefined) === (flags.all === undefined)) {
    throw new CommandFailure(exitCodes.usage, 'reset takes the id of one mutator, or --all');
  }
  const client = await clientFor(io, flags);
  const done: string[] = [];
  const failed: { readonly id: string; readonly message: string }[] = [];
  if (id !== undefined) {
    await resetOne(io, client, id);
    done.push(id);
  } else {
    // One that fails must not keep the others from being reset.
    for (const mutator of await listMutators(io, client)) {
      const message = await tryReset(client, mutator.id);
      if (message === undefined) done.push(mutator.id);
      else failed.push({ id: mutator.id, message });
    }
  }
  for (const { message } of failed) io.stderr.write(`perturb: ${visible(message)}\n`);
  printResult(
    context,
    flags,
    () => ({ reset: done, failed }),
    () => textOf(done, flags.all === true),
  );
  return failed.length > 0 ? exitCodes.unavailable : exitCodes.ok;
};

function textOf(done: readonly string[], all: boolean): string {
  const lines = done.map((id) => `reset ${idText(id)}\n`).join('');
  return all && done.length === 0 ? 'no mutator was reset\n' : lines;
}

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

async function tryReset(client: MutatorClient, id: string): Promise<string | undefined> {
  try {
    await client.reset(id);
    return undefined;
  } catch (error) {
    if (error instanceof ClientError) return error.message;
    throw error;
  }
}
