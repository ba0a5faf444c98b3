import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { quote } from '../../diagnostics/index.js';

/** The parts of a request that name the intended server. */
interface RequestTarget {
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/**
 * Returns the reason to refuse a request to a server that requires no key; undefined to accept the request. Without
 * this check, any web page in the user's browser could send requests to a server on the loopback interface.
 *
 * @param findForeignHost returns a host in the request that belongs to another server, if any
 */
export function denyForeignRequest(
  { origin }: { readonly origin?: string | undefined },
  findForeignHost: () => string | undefined,
): string | undefined {
  if (origin !== undefined) return 'a server without an API key refuses requests from web pages';
  const host = findForeignHost();
  if (host === undefined) return undefined;
  return `the Host ${quote(host.slice(0, LONGEST_HOST))} is not this server; a server without an API key refuses other hosts`;
}

/** Maximum length of a DNS name with a port. */
const LONGEST_HOST = 260;

/** A server's address and names. */
interface ServerHosts {
  readonly address: string;
  /** The configured host name, if any. */
  readonly host?: string;
  /** Further host names that clients may use. */
  readonly allowedHosts?: readonly string[];
}

/** Unspecified addresses, which stand for all of the machine's addresses. */
export const UNSPECIFIED_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/**
 * Returns a function that checks if a Host header names this server. Protects a server without a key against DNS
 * rebinding: a web page can resolve its own host name to the server's address, but browsers always send that host name
 * in the Host header.
 */
export function createHostCheck(server: ServerHosts): (header: string | undefined) => boolean {
  const { address, host = address, allowedHosts = [] } = server;
  const isEverywhere = UNSPECIFIED_ADDRESSES.includes(address);
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

/** True for a host name or an IP address without a port, as in a Host header. */
export function isHostName(text: string): boolean {
  return isIP(text) !== 0 || /^[^\s:[\]@/?#*,.]+(?:\.[^\s:[\]@/?#*,.]+)*\.?$/.test(text);
}

/** Returns the first host in a request that does not name this server; undefined if there is none. */
export function foreignHost(
  request: RequestTarget,
  isOwnHost: (header: string | undefined) => boolean,
): string | undefined {
  return hostsOf(request).find((host) => !isOwnHost(host));
}

/**
 * Returns the hosts in a request's Host headers and in an absolute target, which takes precedence over the headers (RFC
 * 9112, section 3.2.2). Returns a single `undefined` if there are no hosts.
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

/** Returns the host name or address in a Host header, without the port; undefined for a malformed header. */
function nameIn(header: string): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]@/]+))(?::\d*)?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : toCanonical(name);
}

/** Converts a host name to its canonical form, in lower case without a trailing dot. */
function toCanonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
