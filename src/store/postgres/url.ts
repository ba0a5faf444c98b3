import { resolve } from 'node:path';
import { parse as parseAddress } from 'pg-connection-string';
import { defined } from '../../values/index.js';
import { StoreError } from '../store.js';

/** A store's location on a PostgreSQL server. */
export interface PostgresLocation {
  readonly kind: 'postgres';
  /** User, host, port and database, as shown in messages. */
  readonly place: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  /**
   * The password. If absent, PGPASSWORD or libpq's password file provides any required password.
   */
  readonly password?: string;
  /**
   * True to ignore PGPASSWORD, which may be meant for another server. libpq's password file still
   * applies, because each of its lines names a host.
   */
  readonly ignoresVariable?: true;
  readonly tls: Tls;
  /** Timeout for connecting (default: the timeout for other responses). */
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

/** The TLS mode and the paths of the certificate and key files. */
export interface Tls {
  readonly mode: TlsMode;
  readonly rootCertificate?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * libpq's modes: no encryption, encryption without a certificate check, a trusted certificate, or a
 * trusted certificate for this host.
 */
type TlsMode = (typeof TLS_MODES)[number];

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

const PARAMETERS = [
  'host',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'statement_timeout',
] as const;

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`, with libpq's parameters. Without
 * `sslmode`, a server on another host must have a valid certificate.
 *
 * @throws StoreError (bad-url), with a message that never contains the URL
 */
export function readPostgresUrl(text: string, directory: string): PostgresLocation {
  const [address = '', query = ''] = text.split('?', 2);
  const parameters = readParameters(new URLSearchParams(query));
  const { host, port, database, user, password } = parseUrlAddress(address, parameters.get('host'));
  if (database === '')
    throw urlError('the store URL names no database: expected postgres://HOST/DATABASE');
  const resolveFile = (name: (typeof PARAMETERS)[number]) => {
    const path = parameters.get(name);
    return path === undefined ? undefined : resolve(directory, path);
  };
  const connectTimeout = readNumber(parameters, 'connect_timeout');
  return {
    kind: 'postgres',
    place: `postgres://${user === '' ? '' : `${user}@`}${isSocket(host) ? '' : host}:${port}/${database}`,
    host,
    port,
    database,
    ...defined({ user: user || undefined, password: password || undefined }),
    tls: {
      mode: tlsMode(parameters.get('sslmode'), host),
      ...defined({
        rootCertificate: resolveFile('sslrootcert'),
        certificate: resolveFile('sslcert'),
        key: resolveFile('sslkey'),
      }),
    },
    ...defined({
      connectTimeoutMs: connectTimeout === undefined ? undefined : 1_000 * connectTimeout,
      statementTimeoutMs: readNumber(parameters, 'statement_timeout'),
    }),
  };
}

/**
 * Parses the address alone. For the parameters, the library would immediately read certificates and
 * replace some sslmode values.
 */
function parseUrlAddress(address: string, hostOverride: string | undefined) {
  try {
    const { host, port, database, user, password } = parseAddress(address);
    return {
      host: hostOverride ?? (host || 'localhost'),
      port: port ? Number(port) : 5432,
      database: database ?? '',
      user: user ?? '',
      password: password ?? '',
    };
  } catch {
    throw urlError(
      'the store URL is malformed: write characters such as "@", "/", "#" and "%" in a password as %40, %2F, %23 and %25',
    );
  }
}

function readParameters(search: URLSearchParams): ReadonlyMap<string, string> {
  for (const name of search.keys()) {
    if (!PARAMETERS.some((candidate) => candidate === name)) {
      throw urlError(
        `the store URL has the unknown parameter "${name}": expected one of ${PARAMETERS.join(', ')}`,
      );
    }
  }
  return new Map(search);
}

function tlsMode(text: string | undefined, host: string): TlsMode {
  if (text === undefined) return isLocal(host) ? 'disable' : 'verify-full';
  const mode = TLS_MODES.find((candidate) => candidate === text);
  if (mode !== undefined) return mode;
  throw urlError(`sslmode in the store URL must be one of ${TLS_MODES.join(', ')}`);
}

function readNumber(
  parameters: ReadonlyMap<string, string>,
  name: (typeof PARAMETERS)[number],
): number | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  const unit = name === 'connect_timeout' ? 'seconds' : 'milliseconds';
  throw urlError(`${name} in the store URL must be a whole number of ${unit}`);
}

/**
 * Restricts a location from an untrusted source. PGPASSWORD then applies only to a host on this
 * machine or to the host in PGHOST.
 *
 * @param variableHost the value of PGHOST
 */
export function withoutPasswordVariable(
  location: PostgresLocation,
  variableHost: string | undefined,
): PostgresLocation {
  const { host } = location;
  return isLocal(host) || host === variableHost ? location : { ...location, ignoresVariable: true };
}

function isLocal(host: string): boolean {
  return isSocket(host) || host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** True if a host is a directory that contains a Unix socket. */
function isSocket(host: string): boolean {
  return host.startsWith('/');
}

function urlError(message: string): StoreError {
  return new StoreError('bad-url', message);
}
