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
const CHECK_INTERVAL_MS = 1_000;

/** The behaviour of a run while its servers are in use. */
interface WaitOptions {
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
  options: WaitOptions,
): Promise<() => Promise<void>> {
  const releases: (() => Promise<void>)[] = [];
  const releaseAll = async () => {
    for (const release of releases.reverse()) await release();
  };
  // In a fixed order: two runs that waited for each other's servers would wait forever.
  const clients = [...servers].sort((a, b) => (a.url < b.url ? -1 : 1));
  try {
    for (const client of clients) {
      releases.push(await waitUntilFree(client.url, options, () => lockAddress(client.url)));
      releases.push(await waitUntilFree(client.url, options, () => acquireLease(client, options)));
    }
  } catch (error) {
    await releaseAll();
    throw error;
  }
  return releaseAll;
}

/** Resolves to a function that releases a server, or to the time since which another run has it. */
type Claim = Promise<(() => Promise<void>) | string>;

async function waitUntilFree(
  url: string,
  { wait, signal, onWait }: WaitOptions,
  claim: () => Claim,
): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await claim();
    if (typeof result !== 'string') return result;
    if (!wait || signal.aborted) throw new RunError('server-in-use', url, result);
    if (attempt === 0) onWait(url, result);
    await pause(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

async function lockAddress(url: string): Claim {
  const lock = await lockName('run', addressOf(url));
  // If nothing can be locked, the lease has to be enough.
  if (lock === undefined) return async () => {};
  const { note } = lock;
  if ('holder' in lock) return readFile(note, 'utf8').catch(() => 'this moment');
  await writeFile(note, new Date().toISOString()).catch(() => {});
  return async () => {
    await rm(note, { force: true }).catch(() => {});
    await lock.unlock();
  };
}

/** Returns the address of a server; all names of this machine count as one. */
function addressOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  const actualPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return `${isLocal ? 'localhost' : hostname}:${actualPort}${pathname}`;
}

/** Releases the lease of a killed run. Rejects with a ClientError if the server does not respond. */
export async function releaseLease(client: MutatorClient): Promise<void> {
  // A client requests no lease before it knows that the server gives any.
  await client.list();
  await client.lease('end');
}

async function acquireLease(client: MutatorClient, { onHeld }: WaitOptions): Claim {
  const renew = (): ReturnType<typeof client.lease> =>
    client.lease().catch((error: unknown) => {
      // A missing server is noticed by the steps that need it.
      if (error instanceof ClientError) return {};
      throw error;
    });
  const releaseNow = () => client.lease('end').catch(() => {});
  const { inUseSince, heldSince } = await renew();
  if (inUseSince !== undefined) return inUseSince;
  if (heldSince !== undefined) {
    await releaseNow();
    throw new RunError('held', client.url, heldSince);
  }
  const timer = setInterval(async () => {
    if ((await renew()).heldSince !== undefined) onHeld(client.url);
  }, RENEW_MS).unref();
  return async () => {
    clearInterval(timer);
    await releaseNow();
  };
}
