import { readFileSync } from 'node:fs';
import { CompiledQuery, type Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Driver } from './driver.js';
import { explainPostgres, isPostgresBusy } from './postgres-errors.js';
import type { PostgresLocation, Tls } from './postgres-url.js';
import { StoreError } from './store-error.js';

/** The advisory lock of those who write: the letters "perturb" as a number. */
const LOCK = 0x70_65_72_74_75_72_62n;

/** The driver for a store on a PostgreSQL server. Opens no connection yet. */
export function postgresDriver(location: PostgresLocation): Driver {
  const { place, host, port, database, user, password } = location;
  return {
    dialect: new PostgresDialect({
      pool: async () => {
        const pool = new pg.Pool({
          host,
          port,
          database,
          ...(user !== undefined && { user }),
          ...(password !== undefined && { password }),
          ssl: tlsOptions(location.tls),
          connectionTimeoutMillis: location.connectTimeoutMs,
          application_name: 'perturb',
          max: 1,
        });
        // The query that is under way fails with it; without a listener the process would.
        pool.on('error', () => undefined);
        return pool;
      },
      onCreateConnection: async (connection) => {
        const timeout = `set statement_timeout = ${location.statementTimeoutMs}`;
        await connection.executeQuery(CompiledQuery.raw(timeout));
      },
    }),
    place,
    types: { bytes: 'bytea' },
    async begin(db) {
      await sql`begin`.execute(db);
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db);
    },
    inspect,
    // A server has backups of its own, and the migration is one transaction.
    backUp: async () => undefined,
    isBusy: isPostgresBusy,
    explain: (error) => explainPostgres(error, place),
  };
}

/**
 * Other tables in the database are not in the way: ours have names of their own.
 * It reads a table, not `to_regclass`: that may answer from before the wait for
 * the lock, when another process made the store meanwhile.
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
    throw new StoreError('bad-url', `can't read ${path}, which the URL of the store names`);
  }
}
