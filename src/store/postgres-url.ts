import { resolve } from 'node:path';
import { StoreError } from './store-error.js';

/** A store on a PostgreSQL server, as its URL says. */
export interface PostgresLocation {
  readonly kind: 'postgres';
  /** For messages: user, host, port and database. */
  readonly place: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  /** Absent: libpq's variable PGPASSWORD or its password file gives it, where one is needed. */
  readonly password?: string;
  readonly tls: Tls;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/** How the connection is encrypted; the files are paths. */
export interface Tls {
  readonly mode: TlsMode;
  readonly rootCertificate?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** As libpq's sslmode: not at all, to anybody, to one with a trusted certificate, or to this host. */
export type TlsMode = (typeof TLS_MODES)[number];

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

const CONNECT_TIMEOUT_S = 10;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`, the
 * parameters being those of libpq. Without `sslmode`, a server on another host
 * must have a certificate that fits.
 *
 * @throws StoreError (bad-url), which never repeats the URL
 */
export function readPostgresUrl(text: string, directory: string): PostgresLocation {
  // A socket's directory may stand in `host` alone; URL wants a host for a user.
  const url = parse(text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/i, '$1localhost'));
  const parameters = readParameters(url.searchParams);
  const host =
    parameters.get('host') ?? (decode(url.hostname.replace(/^\[|\]$/g, '')) || 'localhost');
  const database = decode(url.pathname.slice(1));
  if (database === '')
    throw wrong('the URL of the store names no database, as in postgres://HOST/DATABASE');
  const port = url.port === '' ? 5432 : Number(url.port);
  const user = decode(url.username);
  const password = decode(url.password);
  const file = (name: (typeof PARAMETERS)[number]) => {
    const path = parameters.get(name);
    return path === undefined ? undefined : resolve(directory, path);
  };
  const [rootCertificate, certificate, key] = [
    file('sslrootcert'),
    file('sslcert'),
    file('sslkey'),
  ];
  return {
    kind: 'postgres',
    place: `postgres://${user === '' ? '' : `${user}@`}${isSocket(host) ? '' : host}:${port}/${database}`,
    host,
    port,
    database,
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    tls: {
      mode: tlsMode(parameters.get('sslmode'), host),
      ...(rootCertificate !== undefined && { rootCertificate }),
      ...(certificate !== undefined && { certificate }),
      ...(key !== undefined && { key }),
    },
    connectTimeoutMs: 1_000 * amount(parameters, 'connect_timeout', CONNECT_TIMEOUT_S),
    statementTimeoutMs: amount(parameters, 'statement_timeout', STATEMENT_TIMEOUT_MS),
  };
}

function parse(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw wrong(
    'the URL of the store is malformed: characters such as "@", "/" and "#" in a password are written as %40, %2F and %23',
  );
}

function readParameters(search: URLSearchParams): ReadonlyMap<string, string> {
  for (const name of search.keys()) {
    if (!PARAMETERS.some((known) => known === name)) {
      throw wrong(
        `the URL of the store has the unknown parameter "${name}": it takes ${PARAMETERS.join(', ')}`,
      );
    }
  }
  return new Map(search);
}

function tlsMode(text: string | undefined, host: string): TlsMode {
  if (text === undefined) return isHere(host) ? 'disable' : 'verify-full';
  const mode = TLS_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw wrong(`sslmode in the URL of the store is one of ${TLS_MODES.join(', ')}`);
}

function amount(
  parameters: ReadonlyMap<string, string>,
  name: (typeof PARAMETERS)[number],
  otherwise: number,
): number {
  const text = parameters.get(name);
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  const unit = name === 'connect_timeout' ? 'seconds' : 'milliseconds';
  throw wrong(`${name} in the URL of the store is a whole number of ${unit}`);
}

function isHere(host: string): boolean {
  return isSocket(host) || host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** The directory of a Unix socket. */
function isSocket(host: string): boolean {
  return host.startsWith('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('the URL of the store has a "%" that is no escape: write %25');
  }
}

function wrong(message: string): StoreError {
  return new StoreError('bad-url', message);
}
