import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { Driver } from './driver.js';
import { StoreError } from './store-error.js';
import type { Tables } from './tables.js';

/** How long a command waits for other writers. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 40;

export type Database = Kysely<Tables>;

/** Does work on a database: it waits its turn, and its failures are for people. */
export interface Session {
  readonly driver: Driver;
  /** Does reading work. */
  read<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Does reading work on the store as it is at one moment, whatever others write meanwhile. */
  readAtOnce<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Does work in a transaction, alone among writers; it may be done more than once. */
  write<T>(work: (db: Database) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createSession(driver: Driver): Session {
  const db = new Kysely<Tables>({ dialect: driver.dialect });
  const within = <T>(begin: Driver['begin'], work: (db: Database) => Promise<T>): Promise<T> =>
    db.connection().execute((one) => inTransaction(begin, one, work, driver));
  return {
    driver,
    read: (work) => patiently(driver, () => work(db)),
    readAtOnce: (work) => patiently(driver, () => within(driver.beginReading, work)),
    write: (work) => patiently(driver, () => within(driver.begin, work)),
    close: () => db.destroy(),
  };
}

async function inTransaction<T>(
  begin: Driver['begin'],
  db: Database,
  work: (db: Database) => Promise<T>,
  driver: Driver,
): Promise<T> {
  try {
    await begin(db as Kysely<unknown>);
    const result = await work(db);
    if (begin === driver.begin) await commit(db, driver);
    else await sql`rollback`.execute(db);
    return result;
  } catch (error) {
    // Where no transaction is left, it fails, and nothing is lost.
    await sql`rollback`.execute(db).catch(() => undefined);
    throw error;
  }
}

/** Where the answer is lost on its way, the database may still have committed. */
async function commit(db: Database, driver: Driver): Promise<void> {
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

/** Does work again as long as other processes are in its way. */
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
