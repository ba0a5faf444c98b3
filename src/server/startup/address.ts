import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { quote } from '../../diagnostics/index.js';
import { EVERYWHERE } from '../api/own-hosts.js';
import { ServeError, systemReason } from './serve-error.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The address that a host stands for, which is then the one to listen on. */
export async function resolveAddress(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw unusable(quote(host), error);
  }
}

/** Whether only programs on this machine reach an address. */
function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Refuses to let everybody inject faults. */
export function refuseOpen(address: string): void {
  if (isLoopback(address)) return;
  throw new ServeError(
    'open-to-all',
    `without a key, anybody who can reach ${address} could inject faults`,
    'Give keys with --api-key-file or --api-key-env, or insist with --allow-unauthenticated.',
  );
}

/** The error for what cannot be listened on or looked up; rethrows what is a bug. */
export function unusable(where: string, error: unknown): ServeError {
  return new ServeError('address-unusable', `cannot listen on ${where}: ${systemReason(error)}`);
}

/** A URL by which clients reach an address; one that stands for all is called by this machine's name. */
export function urlOf(
  { address, port }: { readonly address: string; readonly port: number },
  protocol: 'http' | 'https',
  basePath = '',
): string {
  const host = EVERYWHERE.includes(address) ? hostname() : address;
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}
