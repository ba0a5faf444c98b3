import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import pg from 'pg';
import { defined } from '../../values/index.js';
import type { Driver } from '../session.js';
import { StoreError } from '../store.js';
import { explainPostgres, isPostgresBusy, lockHeldError } from './errors.js';
import type { PostgresLocation, Tls } from './url.js';

/** The key of the writers' advisory lock: the letters "perturb" as a number. */
const LOCK = 0x70_65_72_74_75_72_62n;

const GRACE_MS = 250;

/** Maximum timeout: the limit of the server and of Node's timers, minus the grace period. */
const LONGEST_MS = 2 ** 31 - 1 - GRACE_MS;

/** Returns the driver for a store on a PostgreSQL server. Does not connect yet. */
export function postgresDriver(location: PostgresLocation, timeoutMs: number): Driver {
  const { place } = location;
  return {
    dialect: new PostgresDialect({
      pool: async () => oneConnection(() => open(location, timeoutMs)),
    }),
    place,
    bytes: 'bytea',
    async begin(db) {
      await sql`begin`.execute(db);
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(db);
      // Waiting for the lock here would look like an unresponsive server.
      if (rows[0]?.locked !== true) throw lockHeldError();
    },
    beginReading: async (db) =>
      void (await sql`begin isolation level repeatable read, read only`.execute(db)),
    inspect,
    // The server checks its own pages if configured to do so.
    check: async () => [],
    // The server has its own backups, and the migration is a single transaction.
    backUp: async () => undefined,
    isBusy: isPostgresBusy,
    explain: (error) => explainPostgres(error, place),
  };
}

/**
 * Detects Perturb's tables. A database may also contain other tables, because Perturb's table names
 * are distinct. Queries the catalog, because another process may have created the store during the
 * wait for the lock, and `to_regclass` may return the state before the wait.
 */
async function inspect(db: Kysely<unknown>): Promise<'ours' | 'empty'> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from pg_catalog.pg_class
      where relname = 'perturb_schema' and pg_catalog.pg_table_is_visible(oid)
    ) as found`.execute(db);
  return rows[0]?.found ? 'ours' : 'empty';
}

function tlsOptions({ mode, rootCertificate, certificate, key }: Tls) {
  if (mode === 'disable') return false;
  return {
    ...defined({
      ca: rootCertificate && read(rootCertificate),
      cert: certificate && read(certificate),
      key: key && read(key),
    }),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new StoreError('bad-url', `cannot read ${path}, named in the store URL`);
  }
}

/** Timeout for closing the connection. */
const GOODBYE_MS = 500;

/**
 * Returns a pool with a single connection, which runs one task at a time. A connection error fails
 * only the current task. A failed connection is discarded immediately, because a late response
 * could be mistaken for the response to the next query.
 */
function oneConnection(open: () => Promise<OpenConnection>): PostgresPool {
  let connection: OpenConnection | undefined;
  let currentTurn: Promise<void> = Promise.resolve();

  async function connect(): Promise<PostgresPoolClient> {
    const previousTurn = currentTurn;
    let release = (): void => undefined;
    currentTurn = new Promise((resolveUnlock) => {
      release = resolveUnlock;
    });
    await previousTurn;
    try {
      if (connection === undefined || connection.hasFailed()) connection = await open();
      return { query: connection.query as PostgresPoolClient['query'], release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    connect,
    async end() {
      await currentTurn;
      await connection?.end();
      connection = undefined;
    },
  };
}

interface OpenConnection {
  readonly hasFailed: () => boolean;
  readonly query: (text: string, values: readonly unknown[]) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

/**
 * Opens a connection.
 *
 * @param timeoutMs default timeout for a response; the URL may override it
 */
async function open(location: PostgresLocation, timeoutMs: number): Promise<OpenConnection> {
  const { host, port, database, user, password, tls, ignoresVariable } = location;
  const statementTimeoutMs = Math.min(location.statementTimeoutMs ?? timeoutMs, LONGEST_MS);
  const socket = new Socket();
  const variable = ignoresVariable ? undefined : process.env['PGPASSWORD'];
  const client: pg.Client = new pg.Client({
    ...{ host, port, database, ...defined({ user }) },
    ssl: tlsOptions(tls),
    connectionTimeoutMillis: Math.min(location.connectTimeoutMs ?? timeoutMs, LONGEST_MS),
    application_name: 'perturb',
    stream: () => socket,
    // Longer than the server's own timeout, and therefore reached only if the server is
    // unresponsive.
    query_timeout: statementTimeoutMs + GRACE_MS,
    // Called only if the server requires a password.
    password: password ?? (async () => variable || (await findFilePassword(client)) || ''),
  });
  let isBroken = false;
  const fail = (): void => {
    isBroken = true;
    socket.destroy();
  };
  // Between queries, an error fails the next query.
  client.on('error', fail);
  client.on('end', fail);
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      // After an error reported by the server, the connection can still be used.
      if (!(error instanceof pg.DatabaseError)) fail();
      throw error;
    }
  };
  const connection: OpenConnection = {
    hasFailed: () => isBroken,
    query,
    async end() {
      if (!isBroken) await Promise.race([client.end(), sleep(GOODBYE_MS)]);
      fail();
    },
  };
  try {
    await client.connect();
    await query(`set statement_timeout = ${statementTimeoutMs}`, []);
    return connection;
  } catch (error) {
    fail();
    throw error;
  }
}

/** The login whose password to find: server, database and user. */
interface Login {
  readonly host: string;
  readonly port: number;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
}

const FIELD = String.raw`((?:\\.|[^\\:])+)`;

/** Matches `host:port:database:user:password`. A backslash escapes the next character. */
const LINE = new RegExp(`^(?!#)${`${FIELD}:`.repeat(4)}(.+)$`);

/**
 * Returns the password from the first matching line of libpq's password file, in which `*` matches
 * anything. The client library reads the file only if PGPASSWORD is not set, and not at all in its
 * next version.
 *
 * @throws StoreError (unauthorized) if other users may read the file; libpq ignores such a file
 *   too
 */
async function findFilePassword(login: Login): Promise<string | undefined> {
  const path = pathOf(process.env);
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new StoreError(
      'unauthorized',
      `the password file ${path} is not used because other users may read it: run chmod 600 on it`,
    );
  }
  const loginFields = [login.host, String(login.port), login.database, login.user];
  const text = await readFile(path, 'utf8').catch(() => '');
  for (const line of text.split(/\r?\n/)) {
    const fields = LINE.exec(line)?.slice(1);
    const lineFields = fields?.map((field) => field.replace(/\\(.)/g, '$1'));
    if (
      lineFields &&
      loginFields.every((word, index) => lineFields[index] === '*' || lineFields[index] === word)
    )
      return lineFields[4];
  }
  return undefined;
}

function pathOf({ PGPASSFILE, APPDATA = '.' }: NodeJS.ProcessEnv): string {
  if (PGPASSFILE) return PGPASSFILE;
  return process.platform === 'win32'
    ? join(APPDATA, 'postgresql', 'pgpass.conf')
    : join(homedir(), '.pgpass');
}
