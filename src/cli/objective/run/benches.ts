import { PerturbError, plural } from '../../../basics/index.js';
import { quote, suggest } from '../../../diagnostics/index.js';
import {
  type Catalog,
  createCatalog,
  type MutatorClient,
  writeListing,
} from '../../../mutators/index.js';
import type { RunRecord, Servers } from '../../../runner/index.js';
import type { Config } from '../../config/config.js';
import { clientFor, listMutatorsOf, noServerFailure } from '../../config/server.js';
import { CommandFailure, type Io, usageFailure } from '../../runtime/command.js';
import { awaitExpectedMutators } from './expected.js';
import type { RunFlags } from './flags.js';

/** A selected bench. Without benches, an unnamed bench with all selected servers. */
export interface ChosenBench {
  readonly name?: string;
  /** The bench's zero-based position in perturb.toml. */
  readonly place: number;
  /** The names of the bench's servers. */
  readonly servers: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A bench whose servers have responded. */
export interface ConnectedBench extends ChosenBench {
  /** Clients, keyed by the server's name in plans. */
  readonly clients: Servers;
  readonly catalog: Catalog;
  /** The servers that are not Perturb servers. */
  readonly foreign: readonly string[];
  readonly listings: NonNullable<RunRecord['listings']>;
}

/**
 * Returns the benches named by the flags, otherwise the resumed run's benches. Without either,
 * returns one unnamed bench with all selected servers.
 *
 * @throws CommandFailure (usage) if a bench is not in perturb.toml, if benches share a server, or
 *   if their numbers of servers differ
 */
export function chooseBenches(
  { bench: given = [], server, own: started }: RunFlags,
  { benches, run, servers }: Config,
  known: RunRecord | undefined,
): readonly ChosenBench[] {
  if (started !== undefined) return [{ place: 0, servers: [started.name], env: {} }];
  const last = known?.benches?.map(({ name }) => name) ?? [];
  const words = given.length > 0 ? given : last;
  if (words.length === 0) {
    const names = known?.servers ?? (server.length > 0 ? server : (run.servers ?? servers.keys()));
    const own = [...new Set(names)];
    if (own.length > 0) return [{ place: 0, servers: own, env: {} }];
    throw noServerFailure('start one with --serve mutators.toml, ');
  }
  const all = [...benches.keys()];
  if (all.length === 0) {
    throw usageFailure(
      'perturb.toml has no benches',
      'Add a table [benches.NAME] with servers to perturb.toml.',
    );
  }
  const names = new Set(words.flatMap((word) => (word === 'all' ? all : [word])));
  const chosen = [...names].map((name) => {
    const settings = benches.get(name);
    if (settings === undefined) {
      const help =
        given.length === 0
          ? `To continue on others: ${all.map((one) => `--bench ${one}`).join(' ')}`
          : (suggest(name, all) ?? `Its benches are ${all.join(', ')}.`);
      throw usageFailure(`there is no bench ${quote(name)} in perturb.toml`, help);
    }
    return { ...settings, name, place: all.indexOf(name) };
  });
  refuseUnlike(chosen, known?.servers.length ?? chosen[0]?.servers.length ?? 0);
  return chosen;
}

/** Throws a CommandFailure (usage) for benches that share a server, or have different numbers of servers. */
function refuseUnlike(benches: readonly ChosenBench[], count: number): void {
  const owners = new Map<string, string>();
  for (const { name = '', servers } of benches) {
    if (servers.length !== count || count === 0) {
      throw usageFailure(
        `perturb.toml: bench ${quote(name)} has ${plural(servers.length, 'server')}; expected ${count || 'at least one'}`,
        'List the servers of each bench in the same order.',
      );
    }
    for (const server of servers) {
      const owner = owners.get(server);
      owners.set(server, name);
      if (owner === undefined) continue;
      throw usageFailure(
        `perturb.toml: ${quote(server)} is already a server of bench ${quote(owner)}`,
        'Remove it from one bench, because attempts on two benches would interfere.',
      );
    }
  }
}

/** Returns the benches for a run's record; empty if there are only servers. */
export function benchRecords(benches: readonly ChosenBench[]): Pick<RunRecord, 'benches'> {
  const named = benches.flatMap(({ name, servers }) =>
    name === undefined ? [] : [{ name, servers }],
  );
  return named.length === 0 ? {} : { benches: named };
}

/** Connects to a bench's servers, and lists their mutators. */
async function connectBench(
  io: Io,
  flags: RunFlags,
  bench: ChosenBench,
  called: readonly string[],
  run: string,
): Promise<ConnectedBench> {
  const clients = new Map<string, MutatorClient>();
  for (const [at, server] of bench.servers.entries()) {
    clients.set(called[at] ?? server, await clientFor(io, { ...flags, server }, { run }));
  }
  await awaitExpectedMutators([...clients.values()], flags);
  const foreign: string[] = [];
  const listed = await Promise.all(
    [...clients].map(async ([origin, client], at) => {
      const name = bench.servers[at] ?? origin;
      const { mutators, instance } = await listMutatorsOf(io, client, { name });
      if (instance === undefined) foreign.push(name);
      return mutators.map((mutator) => ({ ...mutator, origin }));
    }),
  );
  const listings = [...clients.keys()].map((server, at) => ({
    server,
    listing: writeListing(listed[at] ?? []),
  }));
  return { ...bench, clients, foreign, catalog: createCatalog(listed.flat()), listings };
}

/**
 * Connects to all benches' servers, and lists their mutators.
 *
 * @param called the servers' names in plans, in the order of each bench's servers
 * @throws CommandFailure (unavailable) if a bench cannot be used, with the flags for continuing
 *   without the bench
 */
export async function connectBenches(
  io: Io,
  flags: RunFlags,
  benches: readonly ChosenBench[],
  called: readonly string[],
  run: string,
): Promise<readonly ConnectedBench[]> {
  const connected = await Promise.allSettled(
    benches.map((bench) => connectBench(io, flags, bench, called, run)),
  );
  const found = connected.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [first] = connected.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (first === undefined) return found;
  if (!(first instanceof PerturbError) || found.length === 0) throw first;
  const away = benches.filter((_, at) => connected[at]?.status === 'rejected');
  const others = found.map(({ name }) => `--bench ${name}`).join(' ');
  throw new CommandFailure(
    first.exitCode,
    `bench ${away.map(({ name = '' }) => quote(name)).join(', ')}: ${first.message}`,
    `${first.help === undefined ? '' : `${first.help} `}To continue without it: ${others}`,
  );
}

/**
 * Returns all benches' servers, and the servers in `left` and `former`, by server name.
 *
 * @param left servers that may be left mutated
 * @param former servers of the benches that the run used last; unknown servers are skipped
 * @throws CommandFailure (usage) if a server of `left` is unknown, or if two benches share a server
 */
export async function allServers(
  io: Io,
  flags: RunFlags,
  benches: readonly ConnectedBench[],
  { left, former }: { readonly left: readonly string[]; readonly former: readonly string[] },
  run: string,
): Promise<Servers> {
  const clients = benches.flatMap(({ servers, clients: own }) => {
    const found = [...own.values()];
    return servers.map((name, at) => [name, found[at] as MutatorClient] as const);
  });
  const all = new Map(clients);
  const urls = new Set([...all.values()].map(({ url }) => url));
  if (urls.size < all.size && benches.length > 1) {
    throw usageFailure('perturb.toml: two benches have the same server');
  }
  for (const server of new Set([...left, ...former])) {
    if (all.has(server)) continue;
    try {
      all.set(server, await clientFor(io, { ...flags, server }, { run }));
    } catch (error) {
      if (left.includes(server) || !(error instanceof PerturbError)) throw error;
    }
  }
  return all;
}
