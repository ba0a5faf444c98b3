import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { lockName } from '../../durable/index.js';
import { ClientError, type MutatorClient } from '../../mutators/index.js';
import { RunError } from '../run-error.js';

/*
 * Only one run at a time may mutate a server. A lock named after the server's address excludes other runs on this
 * machine. Perturb's own servers also grant leases, which exclude runs on other machines.
 */

/** Interval between renewals of a server's lease. */
const RENEW_MS = 10_000;
/** Interval between checks while a run waits for a server. */
const CHECK_INTERVAL_MS = 1_000;

/** Options for servers in use by another run. */
interface WaitOptions {
  /** True to wait until the servers are free. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  /** Called once for each server in use, with the time at which the use began. */
  readonly onWait: (url: string, since: string) => void;
  /** Called if a server's injections were stopped during the run. */
  readonly onHeld: (url: string) => void;
}

/**
 * Acquires exclusive use of the servers. Rejects with a RunError if a server's injections are stopped. Also rejects if
 * a server is in use and the run does not wait for the server, or is aborted while waiting.
 *
 * @returns a function that releases the servers
 */
export async function acquireServers(
  servers: readonly MutatorClient[],
  options: WaitOptions,
): Promise<() => Promise<void>> {
  const releases: (() => Promise<void>)[] = [];
  const releaseAll = async () => {
    for (const release of releases.reverse()) await release();
  };
  // A fixed order prevents a deadlock between two runs.
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

/** Resolves to a function that releases the server, or to the time at which another run's use began. */
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
  // Without locks on this machine, only the lease excludes other runs.
  if (lock === undefined) return async () => {};
  const { note } = lock;
  if ('holder' in lock) return readFile(note, 'utf8').catch(() => 'this moment');
  await writeFile(note, new Date().toISOString()).catch(() => {});
  return async () => {
    await rm(note, { force: true }).catch(() => {});
    await lock.unlock();
  };
}

/** Returns a server's address, with the same host for all loopback names. */
function addressOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  const actualPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return `${isLocal ? 'localhost' : hostname}:${actualPort}${pathname}`;
}

/** Releases a killed run's lease. Rejects with a ClientError if the server does not respond. */
export async function releaseLease(client: MutatorClient): Promise<void> {
  // The client requests a lease only after a response has shown that the server supports leases.
  await client.list();
  await client.lease('end');
}

async function acquireLease(client: MutatorClient, { onHeld }: WaitOptions): Claim {
  const renew = (): ReturnType<typeof client.lease> =>
    client.lease().catch((error: unknown) => {
      // Later steps report a missing server.
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
