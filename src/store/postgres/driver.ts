import { readFileSync } from 'node:fs';
import { type Kysely, PostgresDialect, sql } from 'kysely';
import type { Driver } from '../session.js';
import { StoreError } from '../store.js';
import { oneConnection } from './connection.js';
import { explainPostgres, isPostgresBusy, lockHeld } from './errors.js';
import type { PostgresLocation, Tls } from './url.js';

/** The advisory lock of writers: the letters "perturb" as a number. */
const LOCK = 0x70_65_72_74_75_72_62n;

const GRACE_MS = 250;

/** The longest that a timer can run, and that the server takes as a limit. */
const LONGEST_MS = 2 ** 31 - 1 - GRACE_MS;

/** The driver for a store on a PostgreSQL server. Opens no connection yet. */
export function postgresDriver(location: PostgresLocation, timeoutMs: number): Driver {
  const { place, host, port, database, user, password } = location;
  const connectTimeoutMs = Math.min(location.connectTimeoutMs ?? timeoutMs, LONGEST_MS);
  const statementTimeoutMs = Math.min(location.statementTimeoutMs ?? timeoutMs, LONGEST_MS);
  return {
    dialect: new PostgresDialect({
      pool: async () =>
        oneConnection({
          client: {
            host,
            port,
            database,
            ...(user !== undefined && { user }),
            ...(password !== undefined && { password }),
            ssl: tlsOptions(location.tls),
            connectionTimeoutMillis: connectTimeoutMs,
            application_name: 'perturb',
          },
          // The server itself gives up a little sooner, unless it has gone silent.
          answerTimeoutMs: statementTimeoutMs + GRACE_MS,
          greeting: `set statement_timeout = ${statementTimeoutMs}`,
        }),
    }),
    place,
    types: { bytes: 'bytea' },
    async begin(db) {
      await sql`begin`.execute(db);
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(db);
      // Waiting here would look like a server that has gone silent.
      if (rows[0]?.locked !== true) throw lockHeld();
    },
    beginReading: async (db) =>
      void (await sql`begin isolation level repeatable read, read only`.execute(db)),
    inspect,
    // A server checks its pages itself, where its administrator wants it.
    check: async () => [],
    // A server has backups of its own, and the migration is one transaction.
    backUp: async () => undefined,
    isBusy: isPostgresBusy,
    explain: (error) => explainPostgres(error, place),
  };
}

/**
 * Other tables in the database are not in the way: ours have names of their own.
 * A query of the catalog, not `to_regclass`: that may answer with what was
 * there before the wait for the lock, when another process made the store.
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
    ...(rootCertificate !== undefined && { ca: read(rootCertificate) }),
    ...(certificate !== undefined && { cert: read(certificate) }),
    ...(key !== undefined && { key: read(key) }),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new StoreError('bad-url', `cannot read ${path}, which the URL of the store names`);
  }
}
