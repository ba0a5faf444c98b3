import { lookup } from 'node:dns/promises';
import { type AddressInfo, BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { quote } from '../../diagnostics/index.js';
import { EVERYWHERE } from '../../mutators/index.js';
import { ServeError, systemReason } from './serve-error.js';

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** Resolves a host to the address to listen on. */
export async function resolveAddress(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw toListenError(quote(host), error);
  }
}

/**
 * Throws if an address is reachable from other machines and no keys are set, because anybody could then inject
 * faults.
 */
export function refuseUnauthenticated(address: string): void {
  if (loopbackAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
  throw new ServeError(
    'open-to-all',
    `without a key, anyone who can reach ${address} could inject faults`,
    'Pass keys with --api-key-file or --api-key-env, or allow this with --allow-unauthenticated.',
  );
}

/** Returns the error for an address that cannot be listened on or resolved. Rethrows a bug. */
function toListenError(where: string, error: unknown, help?: string): ServeError {
  const message = `cannot listen on ${where}: ${systemReason(error)}`;
  return new ServeError('address-unusable', message, help);
}

/**
 * Returns a URL by which clients reach an address. The machine's name replaces an address that stands for all
 * addresses.
 */
export function urlOf(
  { address, port }: { readonly address: string; readonly port: number },
  protocol: 'http' | 'https',
  basePath = '',
): string {
  const host = EVERYWHERE.includes(address) ? hostname() : address;
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}

/** Timeout for sending the last answers. */
const FLUSH_MS = 500;

/**
 * Listens, and returns the port; 0 selects any free port. Rejects with a ServeError if the address cannot be used.
 *
 * @param help advice in that error
 */
export async function listen(
  app: FastifyInstance,
  { address, port }: { readonly address: string; readonly port: number },
  help?: string,
): Promise<number> {
  try {
    await app.listen({ host: address, port });
  } catch (error) {
    throw toListenError(`${address}, port ${port}`, error, help);
  }
  return (app.server.address() as AddressInfo).port;
}

/** Refuses further connections, runs `end`, and closes the remaining connections once their answers are sent. */
export async function closeAfter<T>(app: FastifyInstance, work: () => Promise<T>): Promise<T> {
  const closing = app.close();
  const result = await work();
  // Requests that have just ended are answered in this round of the event loop.
  await nextRound();
  app.server.closeIdleConnections();
  await Promise.race([closing, delay(FLUSH_MS, undefined, { ref: false })]);
  app.server.closeAllConnections();
  await closing;
  return result;
}

/**
 * Parses a base path: `/`, or segments that mean the same in any URL. Returns it without a trailing slash, ready
 * for appending paths.
 */
export function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  const segments = path.split('/').slice(1);
  const isValid = segments.every(
    (segment) => /^[\w.~-]+$/.test(segment) && !/^\.{1,2}$/.test(segment),
  );
  if (path !== '' && (!path.startsWith('/') || !isValid)) {
    throw new ServeError(
      'bad-base-path',
      `${quote(text)} is not a valid base path`,
      'Write it like /your/route, with letters, digits, "_", "-", "." and "~".',
    );
  }
  return path;
}
