import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, sql } from 'kysely';
import { StoreError } from './store.js';

/* The tables as the newest migration leaves them. Times are in ISO 8601, UTC, with milliseconds. */

export interface Tables {
  perturb_schema: SchemaTable;
  perturb_objectives: ObjectivesTable;
  perturb_revisions: RevisionsTable;
  perturb_contents: ContentsTable;
}

/** The migrations that have been made. */
interface SchemaTable {
  version: number;
  name: string;
  applied_at: string;
}

export interface ObjectivesTable {
  id: string;
  name: string;
  /** The newest of its revisions. */
  revision: number;
  created_at: string;
  deleted_at: string | null;
}

/** One row per revision; what is long is in `perturb_contents`, so that a list reads little. */
export interface RevisionsTable {
  id: string;
  objective_id: string;
  revision: number;
  /** Of the canonical JSON. */
  sha256: string;
  /** Of the file; a migration filled it in for old rows, unless the content was missing. */
  original_sha256: string | null;
  measurements: number;
  mutators: number;
  stop: string;
  rules: string;
  source_path: string | null;
  source_commit: string | null;
  created_at: string;
  /** As given by `sealOf`; never null, because the same migration filled it in. */
  seal: string | null;
}

export interface ContentsTable {
  revision_id: string;
  original: Uint8Array;
  canonical: string;
}

/** What each kind of database does in its own way; everything else is shared. */
export interface Driver {
  readonly dialect: Dialect;
  /** How messages name the store; without a password. */
  readonly place: string;
  /** The type of columns of bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** Begins a transaction; no other writer can begin one at the same time. */
  begin(db: Kysely<unknown>): Promise<void>;
  /** Begins a transaction that keeps seeing the store as it is now, whatever others write. */
  beginReading(db: Kysely<unknown>): Promise<void>;
  /** What is in the database: our tables, only tables of others, or none. */
  inspect(db: Kysely<unknown>): Promise<'ours' | 'foreign' | 'empty'>;
  /** The faults that the database finds in itself, as texts for people. */
  check(db: Kysely<unknown>): Promise<readonly string[]>;
  /** Makes a copy of the store as it is, in a transaction and before a migration changes it. */
  backUp(version: number): Promise<void>;
  /** Whether another process was in the way, so that the work may be retried. */
  isBusy(error: unknown): boolean;
  /** The error for people, or undefined for a bug. */
  explain(error: unknown): StoreError | undefined;
}

/** How long a command waits for other writers. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 40;

export type StoreDatabase = Kysely<Tables>;

type Work<T> = (db: StoreDatabase) => Promise<T>;

/** Does work on a database: it waits its turn, and its errors are worded for people. */
export type StoreSession = ReturnType<typeof createSession>;

export function createSession(driver: Driver) {
  const db = new Kysely<Tables>({ dialect: driver.dialect });
  const within = <T>(begin: Driver['begin'], work: Work<T>): Promise<T> =>
    db.connection().execute((one) => inTransaction(begin, one, work, driver));
  return {
    driver,
    /** Does work that only reads. */
    read: <T>(work: Work<T>) => patiently(driver, () => work(db)),
    /** Does work that only reads, on the store as it is at one moment, whatever others write meanwhile. */
    readAtOnce: <T>(work: Work<T>) => patiently(driver, () => within(driver.beginReading, work)),
    /** Does work in a transaction, alone among writers; it may be done more than once. */
    write: <T>(work: Work<T>) => patiently(driver, () => within(driver.begin, work)),
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
    // If no transaction is left, this fails, and nothing is lost.
    await sql`rollback`.execute(db).catch(() => undefined);
    throw error;
  }
}

/** If the answer is lost on its way, the database may have committed all the same. */
async function commit(db: StoreDatabase, driver: Driver): Promise<void> {
  try {
    await sql`commit`.execute(db);
  } catch (error) {
    const explained = driver.explain(error);
    if (explained?.code !== 'unreachable' && explained?.code !== 'timeout') throw error;
    throw new StoreError(
      explained.code,
      `${explained.message}; it is unknown whether it was stored; you can safely run the command again`,
    );
  }
}

/** Repeats work as long as other processes are in its way. */
async function patiently<T>(driver: Driver, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!driver.isBusy(error) || performance.now() > until) throw driver.explain(error) ?? error;
    }
    // Random, so that waiting processes do not collide again.
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}
