import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { quote, suggest } from '../../diagnostics/index.js';
import {
  type Attributes,
  activityOf,
  ClientError,
  findParameter,
  type Mutator,
  type MutatorClient,
  parseValue,
  resolveParams,
} from '../../mutators/index.js';
import { type AttributeValue, parseUuid } from '../../values/index.js';
import { clientFor, findMutator, MUTATOR_ARGUMENT, oneServerOptions } from '../config/server.js';
import { CommandFailure, type CommandHandler, usageFailure } from '../runtime/command.js';
import { argument, option, repeatedOption } from '../runtime/declare.js';
import { printResult } from '../runtime/io.js';
import { formatOption } from '../runtime/options.js';
import { attributesToJson, mutationText } from './mutator-text.js';

export const hints = {
  'commander.excessArguments': 'Pass each parameter with --param, as in --param speed=12.5.',
};

export const help = `
Values are converted to the parameter's type: 5 is 5.0 for a float.
An omitted parameter has its default value.
Exit codes: 0 injected, 2 invalid usage, 4 the server is unavailable.

Examples:
  perturb mutators inject wind --param speed=12.5 --param mode=gust --server bench
  perturb mutators inject simulation-wind@GAZEBO --server bench
  perturb mutators reset wind --server bench
`;

export const args = [argument('<mutator>', MUTATOR_ARGUMENT)] as const;

export const options = [
  repeatedOption('-p, --param <key=value>', 'a parameter of the mutation; may be repeated', 'none'),
  option('--mutation <uuid>', "the mutation's id (default: random)", { read: uuid }),
  ...oneServerOptions,
  formatOption(),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [word], flags) => {
  const { io } = context;
  const client = await clientFor(io, flags, { sharesTimeout: true });
  const mutator = await findMutator(io, client, word);
  const { id } = mutator;
  const params = readParams(mutator, flags.param);
  const mutation = { id: flags.mutation ?? randomUUID(), params };
  await client.inject(id, mutation).catch(async (error: unknown) => {
    if (!(error instanceof ClientError && MAYBE_ACTIVE.has(error.code))) throw error;
    if (error.code === 'server-failed' && (await isInactive(client, id))) {
      throw new ClientError('undone', error.url);
    }
    const help = `Mutation ${mutation.id} may be active. Reset the mutator ${quote(id)}.`;
    throw new CommandFailure(error.exitCode, error.message, help);
  });
  const members = { id, mutation: mutation.id, params: attributesToJson(params) };
  return printResult(context, flags, members, (look) => mutationText(mutator, mutation, look));
};

/** Errors after which the mutation may be active. */
const MAYBE_ACTIVE = new Set<ClientError['code']>([
  ...(['timed-out', 'reset', 'server-failed', 'unexpected-status', 'too-large', 'failed'] as const),
]);

/** True if a Perturb server reports that no mutation is or may be active at a mutator. */
async function isInactive(client: MutatorClient, id: string): Promise<boolean> {
  const listing = await client.list('with-activity').catch((error: unknown) => {
    if (error instanceof ClientError) return undefined;
    throw error;
  });
  const mutator = listing?.mutators.find((one) => one.id === id);
  if (listing?.instance === undefined || mutator === undefined) return false;
  const [, activity] = activityOf(mutator);
  return activity === undefined;
}

function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('Expected a UUID.');
  return id;
}

/**
 * Parses a mutation's parameters from words such as `speed=5`, according to their types. Adds the
 * defaults of omitted parameters. A word may use a parameter's name or key.
 *
 * @throws CommandFailure (usage) that lists all problems
 */
export function readParams(mutator: Mutator, words: readonly string[]): Attributes {
  const given = new Map<string, AttributeValue>();
  const wrong: string[] = [];
  for (const word of words) {
    const read = readWord(mutator, word);
    if ('problem' in read) wrong.push(read.problem);
    else if (given.has(read.key)) wrong.push(`duplicate parameter ${quote(read.key)}`);
    else given.set(read.key, read.value);
  }
  const resolved = wrong.length > 0 ? { reasons: wrong } : resolveParams(mutator, given);
  if (!('reasons' in resolved)) return resolved.values;
  const lines = resolved.reasons.map((reason) => `  ${reason}`).join('\n');
  throw usageFailure(`nothing was sent to the mutator ${quote(mutator.id)}:\n${lines}`);
}

function readWord(
  { parameters }: Mutator,
  word: string,
): { readonly key: string; readonly value: AttributeValue } | { readonly problem: string } {
  const equals = word.indexOf('=');
  if (equals === -1) return { problem: `${quote(word)} is not of the form key=value` };
  const name = word.slice(0, equals);
  const parameter = findParameter(parameters, name);
  if (parameter === undefined) {
    const known = new Set(parameters.flatMap((one) => [one.name, one.key]));
    const help = suggest(name, [...known]);
    return {
      problem: `there is no parameter ${quote(name)} (${help ?? 'the mutator has no parameters'})`,
    };
  }
  const read = parseValue(parameter, word.slice(equals + 1));
  if ('value' in read) return { key: parameter.key, value: read.value };
  const help = read.help === undefined ? '' : ` (${read.help})`;
  return { problem: `parameter ${quote(name)}: ${read.problem}${help}` };
}
