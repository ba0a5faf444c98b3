import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Kysely, SqliteDialect, sql } from 'kysely';
import Sqlite from 'libsql';
import { makeDirectories } from '../../durable/index.js';
import type { Driver } from '../session.js';
import { StoreError } from '../store.js';
import { explainSqlite, isSqliteBusy } from './errors.js';
import { BUSY_TIMEOUT_MS, openSqlite } from './open.js';

/** The name of Perturb's own directory, which it creates and excludes from version control. */
const OWN_DIRECTORY = '.perturb';

/** Maximum number of problems to list for a file. Each row of a damaged page can be a problem. */
const MAX_PROBLEMS = 20;

/** The handling of a missing store: create it, treat it as empty, or fail. */
export type MissingFileHandling = 'create' | 'pretend' | 'fail';

/**
 * Returns the driver for a store in a SQLite file. Commits are durable (WAL, `synchronous = FULL`),
 * and any number of processes may use the file at the same time.
 *
 * @throws StoreError (missing)
 */
export function sqliteDriver(
  path: string,
  place: string,
  whenMissing: MissingFileHandling,
): Driver {
  const isMissing = !existsSync(path);
  if (isMissing && whenMissing === 'fail') {
    throw new StoreError(
      'missing',
      `there is no store at ${place} yet: "perturb objective create FILE" creates one`,
    );
  }
  const file = isMissing && whenMissing === 'pretend' ? ':memory:' : path;
  return {
    dialect: new SqliteDialect({
      database: async () => {
        if (isMissing && file === path) makeDirectory(dirname(path));
        return openSqlite(file, place);
      },
    }),
    place,
    bytes: 'blob',
    begin: async (db) => void (await sql`begin immediate`.execute(db)),
    beginReading: async (db) => void (await sql`begin`.execute(db)),
    inspect,
    check,
    backUp: async (version) => backUp(path, version),
    isBusy: isSqliteBusy,
    explain: (error) => explainSqlite(error, place),
  };
}

/** Creates a new store's directory. Excludes Perturb's own directory from version control. */
function makeDirectory(directory: string): void {
  makeDirectories(directory);
  if (basename(directory) !== OWN_DIRECTORY) return;
  try {
    writeFileSync(join(directory, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  // A new directory's contents are durable only if its own entry is.
  syncPath(dirname(directory));
}

async function inspect(db: Kysely<unknown>): Promise<'ours' | 'foreign' | 'empty'> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master
    order by name = 'perturb_schema' desc limit 1`.execute(db);
  if (rows.length === 0) return 'empty';
  return rows[0]?.name === 'perturb_schema' ? 'ours' : 'foreign';
}

/** Returns the faults found by SQLite's integrity checks. */
async function check(db: Kysely<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ found: string }>`
    select integrity_check as found from pragma_integrity_check(${MAX_PROBLEMS})`.execute(db);
  return rows.map(({ found }) => String(found)).filter((found) => found !== 'ok');
}

/** Copies the database, in its state before the open transaction, to a file next to it. */
function backUp(path: string, version: number): void {
  const copy = `${path}.schema-${version}.backup`;
  const temporaryPath = `${copy}.${process.pid}.tmp`;
  rmSync(temporaryPath, { force: true });
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`vacuum into '${temporaryPath.replaceAll("'", "''")}'`);
  } finally {
    database.close();
  }
  syncPath(temporaryPath);
  renameSync(temporaryPath, copy);
  syncPath(dirname(copy));
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
