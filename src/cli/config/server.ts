import { visible } from '../../basics/index.js';
import type { Server } from '../../config/index.js';
import { quote, suggest } from '../../diagnostics/index.js';
import {
  type ClientOptions,
  createClient,
  formatWarnings,
  type Listing,
  type Mutator,
  type MutatorClient,
  mutatorName,
  selectMutators,
} from '../../mutators/index.js';
import { defined } from '../../values/index.js';
import { type CommandFailure, type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';
import { configOption } from '../runtime/options.js';
import type { Config } from './config.js';
import { apiKeyFrom, serverOptions } from './sources.js';

export const oneServerOptions = [
  // Without this flag, the command uses the only server in perturb.toml.
  option(
    '-s, --server <server>',
    'server URL with its base path, or its name in perturb.toml (default: the only server there)',
  ),
  configOption,
  ...serverOptions,
] as const;

export type OneServerFlags = FlagsOf<typeof oneServerOptions>;

/** A server started by the command itself. */
export interface OwnServer {
  /** The server's name in plans: the path of its manifest. */
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  /** Also copies the log, including its earlier lines, to a file. Only the first call has an effect. */
  readonly logTo: (path: string) => void;
}

/**
 * Returns a client for the selected server, without connecting yet. With `sharesTimeout`,
 * `--timeout` limits the total time of all requests.
 *
 * @throws CommandFailure (usage) if there is no such server, or if the server's key is missing
 */
export async function clientFor(
  io: Io,
  flags: OneServerFlags & { readonly own?: OwnServer | undefined },
  { sharesTimeout = false, run }: Pick<ClientOptions, 'sharesTimeout' | 'run'> = {},
): Promise<MutatorClient> {
  const { own, timeout: timeoutMs } = flags;
  if (own !== undefined && flags.server === own.name) {
    return createClient({ ...own, sharesTimeout, ...defined({ timeoutMs, run }) });
  }
  const { url, apiKeyEnv } = await findServer(io, flags);
  const apiKey = apiKeyFrom(io, flags, apiKeyEnv);
  return createClient({ url, sharesTimeout, ...defined({ timeoutMs, apiKey, run }) });
}

async function findServer(
  io: Io,
  { server: name, config: file }: Omit<OneServerFlags, 'timeout'>,
): Promise<Server> {
  if (name?.includes('://')) return { url: name };
  const { readConfig } = await import('./config.js');
  const config = await readConfig({ io, color: undefined }, file);
  if (name === undefined) return onlyServer(config);
  const server = config.namedServers.get(name);
  if (server !== undefined) return server;
  const help = suggest(name, [...config.namedServers.keys()]);
  throw usageFailure(
    `there is no server ${quote(name)} in perturb.toml`,
    help ??
      'Add a table [servers.NAME] with a url, or pass a URL that starts with http:// or https://.',
  );
}

function onlyServer({ servers }: Config): Server {
  const [first, ...others] = servers.values();
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) throw noServerFailure();
  const help = `Choose one with --server: ${[...servers.keys()].join(', ')}`;
  throw usageFailure('perturb.toml has several mutator servers', help);
}

/**
 * Returns the failure for a missing server.
 *
 * @param otherwise an alternative to add to the help, such as a flag
 */
export function noServerFailure(otherwise = ''): CommandFailure {
  return usageFailure(
    'no mutator server specified or configured',
    `Pass one with --server URL, ${otherwise}or add a table [servers.NAME] with a url to perturb.toml.`,
  );
}

/**
 * Lists a server's mutators and properties, optionally with activity. Prints the listing's warnings
 * to stderr, prefixed with `name`.
 */
export async function listMutatorsOf(
  io: Io,
  client: MutatorClient,
  { name, what }: { readonly name?: string | undefined; readonly what?: 'with-activity' } = {},
): ReturnType<MutatorClient['list']> {
  const listing = await client.list(what);
  printWarnings(io, listing.warnings, name);
  return listing;
}

function printWarnings(io: Io, warnings: Listing['warnings'], name?: string): void {
  const place = name === undefined ? '' : `${name}: `;
  for (const warning of formatWarnings(warnings))
    io.stderr.write(`perturb: warning: ${place}${visible(warning)}\n`);
}

/** The description of an argument that names one mutator. */
export const MUTATOR_ARGUMENT = 'mutator id, or NAME[@PROBE] if unambiguous';

/**
 * Returns the server's mutator with this id or name. Prints only that mutator's warnings to stderr,
 * or all warnings if there is no single match.
 *
 * @throws CommandFailure (usage) if no mutator matches, or if several do
 */
export async function findMutator(
  io: Io,
  client: MutatorClient,
  word: string,
  what?: 'with-activity',
): Promise<Mutator> {
  const { mutators, warnings } = await client.list(what);
  const withId = mutators.find(({ id }) => id === word);
  const found = withId === undefined ? selectMutators(mutators, word) : [withId];
  const [mutator, ...others] = found;
  if (mutator !== undefined && others.length === 0) {
    printWarnings(
      io,
      warnings.filter(({ id }) => id === mutator.id),
    );
    return mutator;
  }
  printWarnings(io, warnings);
  if (mutator !== undefined) {
    const ids = found.map(({ id, probe = 'none' }) => `${quote(id)} (probe ${quote(probe)})`);
    throw usageFailure(
      `${found.length} mutators are named ${quote(word)}`,
      `Use one of their ids: ${ids.join(', ')}.`,
    );
  }
  const names = mutators.flatMap((one) => [one.id, mutatorName(one)]);
  throw usageFailure(
    `there is no mutator with the id or name ${quote(word)}`,
    suggest(word, [...new Set(names)]) ?? 'The server has no mutators.',
  );
}

/** Formats a mutator's id for a message or a command, quoted only if necessary. */
export function idText(id: string): string {
  return /^[\w./:-]+$/.test(id) ? id : quote(id);
}
