import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { quote } from '../../diagnostics/index.js';

/** The part of a request that identifies its intended server. */
interface RequestTarget {
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/**
 * Returns the reason to refuse a request to a server that requires no key; undefined to accept the
 * request. Without this check, any web page in a browser could act on the user's loopback.
 *
 * @param findForeignHost returns the host of another server that the request names, if any
 */
export function denyForeign(
  { origin }: { readonly origin?: string | undefined },
  findForeignHost: () => string | undefined,
): string | undefined {
  if (origin !== undefined) return 'the request comes from a web page, and no key is required';
  const host = findForeignHost();
  if (host === undefined) return undefined;
  return `the Host ${quote(host.slice(0, LONGEST_HOST))} is not this server, and no key is required`;
}

/** Maximum length of a DNS name with a port. */
const LONGEST_HOST = 260;

/** The address and names of a server. */
interface ServerHosts {
  readonly address: string;
  /** The configured host, if any. */
  readonly host?: string;
  /** Further names by which clients reach the server. */
  readonly allowedHosts?: readonly string[];
}

/** Addresses that stand for every address of the machine. */
export const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/**
 * Returns a function that checks if a request's Host header names this server. A web page can point
 * its own name to any address and so reach a server without a key, but its requests then carry that
 * name. No browser omits the header.
 */
export function ownHosts(server: ServerHosts): (header: string | undefined) => boolean {
  const { address, host = address, allowedHosts = [] } = server;
  const isEverywhere = EVERYWHERE.includes(address);
  const hosts = [
    'localhost',
    address,
    host,
    ...(isEverywhere ? [hostname()] : []),
    ...allowedHosts,
  ];
  const names = new Set(hosts.map(toCanonical));
  return (header) => {
    if (header === undefined) return true;
    const name = nameIn(header);
    if (name === undefined) return false;
    const isAddress = isIP(name) !== 0;
    return names.has(name) || isLoopback(name) || (isEverywhere && isAddress);
  };
}

/** True for a name or an address that a Host header can have, without a port. */
export function isHostName(text: string): boolean {
  return isIP(text) !== 0 || /^[^\s:[\]@/?#*,.]+(?:\.[^\s:[\]@/?#*,.]+)*\.?$/.test(text);
}

/** Returns the first host in a request that does not name this server. */
export function foreignHost(
  request: RequestTarget,
  isOwnHost: (header: string | undefined) => boolean,
): string | undefined {
  return hostsOf(request).find((host) => !isOwnHost(host));
}

/**
 * Returns every host in a request: in its headers, and in its target if the target is a full URL,
 * which takes precedence (RFC 9112, section 3.2.2).
 */
function hostsOf({ url = '', rawHeaders }: RequestTarget): (string | undefined)[] {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host',
  );
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  const hosts = [...values, ...(target === undefined ? [] : [target])];
  return hosts.length === 0 ? [undefined] : hosts;
}

function isLoopback(name: string): boolean {
  return (
    name === '::1' || (isIP(name) === 4 && name.startsWith('127.')) || name.endsWith('.localhost')
  );
}

/**
 * Returns the name or address in a Host header, without its port; undefined for a malformed header.
 */
function nameIn(header: string): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]@/]+))(?::\d*)?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : toCanonical(name);
}

/** Returns the canonical form of a name: in lower case, without a final dot. */
function toCanonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
