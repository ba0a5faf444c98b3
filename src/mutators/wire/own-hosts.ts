import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { quote } from '../../diagnostics/index.js';

/** The part of a request that says which server it is for. */
interface Addressed {
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/**
 * Why a request to a server that requires no key is turned away; undefined where it may go on. A
 * browser would let any web page that somebody opens act on their loopback.
 *
 * @param foreign the host of another server that the request names, if it names one
 */
export function denyForeign(
  { origin }: { readonly origin?: string | undefined },
  foreign: () => string | undefined,
): string | undefined {
  if (origin !== undefined) return 'the request comes from a web page, and no key is required';
  const host = foreign();
  if (host === undefined) return undefined;
  return `the Host ${quote(host.slice(0, LONGEST_HOST))} is not this server, and no key is required`;
}

/** No name of DNS is longer, with a port. */
const LONGEST_HOST = 260;

/** Where a server listens, and how it was named. */
interface Listening {
  readonly address: string;
  /** The host that was asked for, if one was. */
  readonly host?: string;
  /** More names by which clients reach it. */
  readonly allowedHosts?: readonly string[];
}

/** Addresses that stand for every address of the machine. */
export const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/**
 * Whether the Host of a request names this server. A web page can have its own name
 * lead to any address and so reach a server without a key, but its requests
 * then carry that name. No browser omits the header.
 */
export function ownHosts(listening: Listening): (header: string | undefined) => boolean {
  const { address, host = address, allowedHosts = [] } = listening;
  const isEverywhere = EVERYWHERE.includes(address);
  const given = [
    'localhost',
    address,
    host,
    ...(isEverywhere ? [hostname()] : []),
    ...allowedHosts,
  ];
  const names = new Set(given.map(canonical));
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

/** The first host that a request names and that is not this server. */
export function foreignHost(
  request: Addressed,
  isOwnHost: (header: string | undefined) => boolean,
): string | undefined {
  return hostsOf(request).find((host) => !isOwnHost(host));
}

/**
 * Every host that a request names: in its headers, and in its target if that is a full
 * URL, which then counts more than the header (RFC 9112, section 3.2.2).
 */
function hostsOf({ url = '', rawHeaders }: Addressed): (string | undefined)[] {
  const values = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host',
  );
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  const named = [...values, ...(target === undefined ? [] : [target])];
  return named.length === 0 ? [undefined] : named;
}

function isLoopback(name: string): boolean {
  return (
    name === '::1' || (isIP(name) === 4 && name.startsWith('127.')) || name.endsWith('.localhost')
  );
}

/** The name or address in a Host header, without its port; undefined where there is none. */
function nameIn(header: string): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]@/]+))(?::\d*)?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : canonical(name);
}

/** The one form of a name, whose case and final dot mean nothing. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
