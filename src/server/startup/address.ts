import { lookup } from 'node:dns/promises';
import { type AddressInfo, BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { quote } from '../../diagnostics/index.js';
import { UNSPECIFIED_ADDRESSES } from '../../mutators/index.js';
import { explainSystemError, ServeError } from './serve-error.js';

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
 * Throws a ServeError if an address is reachable from other machines, because anybody could then inject faults. Called
 * only if no key is required.
 */
export function refuseUnauthenticatedAddress(address: string): void {
  if (loopbackAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
  throw new ServeError(
    'open-to-all',
    `without a key, anyone who can reach ${address} could inject faults`,
    'Pass keys with --api-key-file or --api-key-env, or allow this with --allow-unauthenticated.',
  );
}

/** Returns the error for an address that cannot be resolved or listened on. Rethrows any error that is a bug. */
function toListenError(where: string, error: unknown, help?: string): ServeError {
  const message = `cannot listen on ${where}: ${explainSystemError(error)}`;
  return new ServeError('address-unusable', message, help);
}

/**
 * Returns the URL at which clients reach an address. Replaces an unspecified address, such as 0.0.0.0, with the
 * machine's name.
 */
export function urlOf(
  { address, port }: { readonly address: string; readonly port: number },
  protocol: 'http' | 'https',
  basePath = '',
): string {
  const host = UNSPECIFIED_ADDRESSES.includes(address) ? hostname() : address;
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}

/** Timeout for sending the last responses. */
const FLUSH_MS = 500;

/**
 * Starts listening, and returns the port. Port 0 selects any free port. Rejects with a ServeError if the address cannot
 * be used.
 *
 * @param help advice in the error
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

/** Refuses further connections, runs `work`, and closes the remaining connections once their responses are sent. */
export async function closeAfter<T>(app: FastifyInstance, work: () => Promise<T>): Promise<T> {
  const closing = app.close();
  const result = await work();
  // Requests that have just ended are answered in this turn of the event loop.
  await nextRound();
  app.server.closeIdleConnections();
  await Promise.race([closing, delay(FLUSH_MS, undefined, { ref: false })]);
  app.server.closeAllConnections();
  await closing;
  return result;
}

/**
 * Parses a base path, which is `/` or has only segments that need no percent-encoding. Returns the path without a
 * trailing slash, ready for appending paths. Throws a ServeError for any other text.
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
