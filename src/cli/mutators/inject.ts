import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { quote } from '../../diagnostics/index.js';
import { ClientError, type Mutation, type MutatorClient } from '../../mutators/index.js';
import { parseUuid } from '../../values/index.js';
import { addOneServerFlags, connect, type OneServerFlags, toFailure } from '../config/server.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { findMutator, listMutators } from './list-mutators.js';
import { attributesToJson } from './mutator-json.js';
import { mutationText } from './mutator-text.js';
import { readParams } from './params.js';

interface Flags extends OneServerFlags, FormatFlags {
  readonly param: readonly string[];
  readonly mutation?: string;
}

export const hints = {
  'commander.excessArguments': 'Give each parameter with --param, as in --param speed=12.5.',
};

export function configure(command: Command): void {
  command
    .argument('<id>', 'the id of the mutator, as in the list')
    .addOption(
      new Option('-p, --param <key=value>', 'a parameter of the mutation; may be repeated')
        .argParser((text: string, earlier: readonly string[]) => [...earlier, text])
        .default([], 'none'),
    )
    .option('--mutation <uuid>', 'the id of the mutation (default: a random one)', uuid);
  addFormatOption(addOneServerFlags(command)).addHelpText(
    'after',
    `
A value is read as the type of its parameter: 5 is 5.0 for a float.
A parameter that is left out takes its default.
Exit codes: 0 injected, 2 wrong usage, 4 the server cannot be used.

Examples:
  perturb mutators inject wind --param speed=12.5 --param mode=gust --server bench
  perturb mutators reset wind --server bench
`,
  );
}

export async function run(
  context: Context,
  [id]: readonly [string],
  flags: Flags,
): Promise<ExitCode> {
  const { io } = context;
  const client = await connect(io, flags, true);
  const mutator = findMutator(await listMutators(io, client), id);
  const params = readParams(mutator, flags.param);
  const mutation = { id: flags.mutation ?? randomUUID(), params };
  await inject(client, id, mutation);
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ id, mutation: mutation.id, params: attributesToJson(params) })
      : mutationText(mutator, mutation, lookOf(context)),
  );
  return exitCodes.ok;
}

/** After these it is not known whether the mutator has acted. */
const MAYBE_ACTIVE: ReadonlySet<ClientError['code']> = new Set([
  'timed-out',
  'reset',
  'server-failed',
  'unexpected-status',
  'too-large',
  'failed',
]);

async function inject(client: MutatorClient, id: string, mutation: Mutation): Promise<void> {
  try {
    await client.inject(id, mutation);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const help = MAYBE_ACTIVE.has(error.code)
      ? `The mutation ${mutation.id} may be active: reset the mutator ${quote(id)}.`
      : undefined;
    throw toFailure(error, help);
  }
}

function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It takes a UUID.');
  return id;
}
