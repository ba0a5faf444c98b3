import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type { SqliteDatabase } from 'kysely';
import Sqlite from 'libsql';
import { damagedSchema, isSqliteError, isSqliteReadOnly } from './sqlite-errors.js';
import { readingBytes } from './sqlite-text.js';
import { StoreError } from './store-error.js';

/** How long one statement waits for a lock, before the session lets others go first. */
export const BUSY_TIMEOUT_MS = 2_000;

const SETTINGS = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'];

/**
 * Opens a database for reading and writing; for reading alone where the file or
 * its directory cannot be written, as on a read-only file system.
 */
export function openSqlite(file: string, place: string): SqliteDatabase {
  try {
    return readingBytes(opened(file, SETTINGS));
  } catch (error) {
    if (!isSqliteReadOnly(error) || !(sizeOf(file) > 0)) throw error;
    return readingBytes(openedImmutable(file, place));
  }
}

function opened(file: string, settings: readonly string[]): Sqlite.Database {
  const database = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    for (const setting of settings) database.prepare(`pragma ${setting}`).all([]);
    checkSchema(database);
  } catch (error) {
    database.close();
    throw isSqliteError(error) ? damagedSchema() : error;
  }
  return database;
}

/** Names and types in the schema are texts that the driver reads by itself: see `readingBytes`. */
function checkSchema(database: Sqlite.Database): void {
  const query = 'select cast(sql as blob) as words from sqlite_master where sql is not null';
  const rows = database.prepare(query).all([]) as unknown as { words: ArrayBuffer }[];
  if (!rows.every(({ words }) => isUtf8(new Uint8Array(words)))) throw damagedSchema();
}

/** SQLite then takes no locks and reads no log, so there must be no log with changes. */
function openedImmutable(file: string, place: string): Sqlite.Database {
  if (sizeOf(`${file}-wal`) > 0) {
    throw new StoreError(
      'denied',
      `cannot read ${place}: ${place}-wal holds changes that are not in it yet; open it once where its directory is writable`,
    );
  }
  const path = encodeURI(file).replaceAll('?', '%3f').replaceAll('#', '%23');
  return opened(`file:${path}?immutable=1`, []);
}

/** NaN for a file that is not there. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.NaN;
}
