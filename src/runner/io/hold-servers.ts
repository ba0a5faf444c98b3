import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { lockName } from '../../durable/index.js';
import { ClientError, type MutatorClient } from '../../mutators/index.js';
import { RunError } from '../run-error.js';

/*
 * One run at a time mutates a server. On one machine, a lock by its address excludes other runs; Perturb's own
 * servers give a lease, which excludes runs of other machines too.
 */

/** Interval of renewing the lease of a server. */
const RENEW_MS = 10_000;
/** Interval of checks by a waiting run. */
const LOOK_MS = 1_000;

/** The behaviour of a run while its servers are in use. */
interface Waiting {
  /** True to wait until they are free. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  /** Called once for each server in use. */
  readonly onWait: (url: string, since: string) => void;
  /** Called when the injections of a server were stopped meanwhile. */
  readonly onHeld: (url: string) => void;
}

/**
 * Excludes other runs from the servers. Rejects with a RunError if one is in use and the run does not wait, or must
 * not continue; and if its injections are stopped.
 *
 * @returns a function that releases the servers
 */
export async function holdServers(
  servers: readonly MutatorClient[],
  waiting: Waiting,
): Promise<() => Promise<void>> {
  const releases: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const release of releases.reverse()) await release();
  };
  // In a fixed order: two runs that waited for each other's servers would wait forever.
  const clients = [...servers].sort((a, b) => (a.url < b.url ? -1 : 1));
  try {
    for (const client of clients) {
      releases.push(await untilFree(client.url, waiting, () => lockAddress(client.url)));
      releases.push(await untilFree(client.url, waiting, () => lease(client, waiting)));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

/** Resolves to a function that releases a server, or to the time since which another run has it. */
type Taking = Promise<(() => Promise<void>) | string>;

async function untilFree(
  url: string,
  { wait, signal, onWait }: Waiting,
  take: () => Taking,
): Promise<() => Promise<void>> {
  for (let look = 0; ; look += 1) {
    const taken = await take();
    if (typeof taken !== 'string') return taken;
    if (!wait || signal.aborted) throw new RunError('server-in-use', url, taken);
    if (look === 0) onWait(url, taken);
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

async function lockAddress(url: string): Taking {
  const locked = await lockName('run', addressOf(url));
  // If nothing can be locked, the lease has to be enough.
  if (locked === undefined) return async () => {};
  const { note } = locked;
  if ('holder' in locked) return readFile(note, 'utf8').catch(() => 'this moment');
  await writeFile(note, new Date().toISOString()).catch(() => {});
  return async () => {
    await rm(note, { force: true }).catch(() => {});
    await locked.unlock();
  };
}

/** Returns the address of a server; all names of this machine count as one. */
function addressOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  const actual = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return `${isHere ? 'localhost' : hostname}:${actual}${pathname}`;
}

/** Releases the lease of a killed run. Rejects with a ClientError if the server does not respond. */
export async function giveUpLease(client: MutatorClient): Promise<void> {
  // A client requests no lease before it knows that the server gives any.
  await client.list();
  await client.lease('end');
}

async function lease(client: MutatorClient, { onHeld }: Waiting): Taking {
  const renew = (): ReturnType<typeof client.lease> =>
    client.lease().catch((error: unknown) => {
      // A missing server is noticed by the steps that need it.
      if (error instanceof ClientError) return {};
      throw error;
    });
  const giveUp = () => client.lease('end').catch(() => {});
  const { inUseSince, heldSince } = await renew();
  if (inUseSince !== undefined) return inUseSince;
  if (heldSince !== undefined) {
    await giveUp();
    throw new RunError('held', client.url, heldSince);
  }
  const timer = setInterval(async () => {
    if ((await renew()).heldSince !== undefined) onHeld(client.url);
  }, RENEW_MS).unref();
  return async () => {
    clearInterval(timer);
    await giveUp();
  };
}
