import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, sql } from 'kysely';
import { StoreError } from './store.js';

/** The tables after the newest migration. Times are UTC in ISO 8601, with milliseconds. */

export interface Tables {
  perturb_schema: SchemaTable;
  perturb_objectives: ObjectivesTable;
  perturb_revisions: RevisionsTable;
  perturb_contents: ContentsTable;
}

/** The completed migrations. */
interface SchemaTable {
  version: number;
  name: string;
  applied_at: string;
}

export interface ObjectivesTable {
  id: string;
  name: string;
  /** The newest revision's number. */
  revision: number;
  created_at: string;
  deleted_at: string | null;
}

/**
 * One row per revision. Long texts are in `perturb_contents`, so listing revisions reads little.
 */
export interface RevisionsTable {
  id: string;
  objective_id: string;
  revision: number;
  /** The digest of the canonical JSON. */
  sha256: string;
  /** The digest of the file; null if the content was missing when a migration added this column. */
  original_sha256: string | null;
  measurements: number;
  mutators: number;
  stop: string;
  rules: string;
  source_path: string | null;
  source_commit: string | null;
  created_at: string;
  /** The result of `sealOf`; never null, because a migration added seals to all old rows. */
  seal: string | null;
}

export interface ContentsTable {
  revision_id: string;
  original: Uint8Array;
  canonical: string;
}

/** The operations that differ between databases. */
export interface Driver {
  readonly dialect: Dialect;
  /** The store's name in messages, without a password. */
  readonly place: string;
  /** The column type for bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** Begins a transaction that excludes all other writers. */
  begin(db: Kysely<unknown>): Promise<void>;
  /** Begins a transaction on a snapshot of the store, unaffected by other writers. */
  beginReading(db: Kysely<unknown>): Promise<void>;
  /**
   * Returns `ours` for a store, `foreign` for a database with only other tables, or `empty` for a
   * database without tables.
   */
  inspect(db: Kysely<unknown>): Promise<'ours' | 'foreign' | 'empty'>;
  /** Returns the faults found by the database's own checks, as texts for users. */
  check(db: Kysely<unknown>): Promise<readonly string[]>;
  /** Copies the store before a migration changes it, inside the migration's transaction. */
  backUp(version: number): Promise<void>;
  /** True if another process interfered and the work may be retried. */
  isBusy(error: unknown): boolean;
  /** Explains an error to the user. Returns undefined for a bug. */
  explain(error: unknown): StoreError | undefined;
}

/** Maximum time to wait for other writers. */
const RETRY_LIMIT_MS = 60_000;
const LONGEST_PAUSE_MS = 40;

export type StoreDatabase = Kysely<Tables>;

type Work<T> = (db: StoreDatabase) => Promise<T>;

/** Runs work on a database. Waits for other writers, and explains errors to the user. */
export type StoreSession = ReturnType<typeof createSession>;

export function createSession(driver: Driver) {
  const db = new Kysely<Tables>({ dialect: driver.dialect });
  const runInTransaction = <T>(begin: Driver['begin'], work: Work<T>): Promise<T> =>
    db.connection().execute((connection) => inTransaction(begin, connection, work, driver));
  return {
    driver,
    /** Runs read-only work. */
    read: <T>(work: Work<T>) => retryWhileBusy(driver, () => work(db)),
    /** Runs read-only work on a snapshot of the store, unaffected by other writers. */
    readAtOnce: <T>(work: Work<T>) =>
      retryWhileBusy(driver, () => runInTransaction(driver.beginReading, work)),
    /** Runs work in a transaction that excludes other writers. The work may run more than once. */
    write: <T>(work: Work<T>) => retryWhileBusy(driver, () => runInTransaction(driver.begin, work)),
    close: () => db.destroy(),
  };
}

async function inTransaction<T>(
  begin: Driver['begin'],
  db: StoreDatabase,
  work: Work<T>,
  driver: Driver,
): Promise<T> {
  try {
    await begin(db as Kysely<unknown>);
    const result = await work(db);
    if (begin === driver.begin) await commit(db, driver);
    else await sql`rollback`.execute(db);
    return result;
  } catch (error) {
    // Without an open transaction, the rollback fails harmlessly.
    await sql`rollback`.execute(db).catch(() => undefined);
    throw error;
  }
}

/**
 * Commits a transaction. If the response is lost, the error reports that the commit may have
 * succeeded.
 */
async function commit(db: StoreDatabase, driver: Driver): Promise<void> {
  try {
    await sql`commit`.execute(db);
  } catch (error) {
    const storeError = driver.explain(error);
    if (storeError?.code !== 'unreachable' && storeError?.code !== 'timeout') throw error;
    throw new StoreError(
      storeError.code,
      `${storeError.message}; it is unknown whether anything was stored; you can safely run the command again`,
    );
  }
}

/** Retries work while other processes interfere, for up to `RETRY_LIMIT_MS`. */
async function retryWhileBusy<T>(driver: Driver, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + RETRY_LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!driver.isBusy(error) || performance.now() > deadline)
        throw driver.explain(error) ?? error;
    }
    // Random, because waiting processes would otherwise collide again.
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}
