import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type { SqliteDatabase } from 'kysely';
import Sqlite from 'libsql';
import { quote } from '../../diagnostics/index.js';
import { StoreError } from '../store.js';
import { damagedSchemaError, isSqliteError, isSqliteReadOnly } from './errors.js';

/** Timeout for a statement that waits for a lock. The session then retries after a pause. */
export const BUSY_TIMEOUT_MS = 2_000;

const SETTINGS = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'];

/**
 * Opens a database for reading and writing. If the file or its directory is not writable, as on a
 * read-only file system, opens it for reading only.
 */
export function openSqlite(file: string, place: string): SqliteDatabase {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new StoreError('denied', `cannot open ${place}: it is not a regular file`);
  }
  try {
    return decodeAsBytes(openDatabase(file, place, SETTINGS));
  } catch (error) {
    if (!isSqliteReadOnly(error) || !(sizeOf(file) > 0)) throw error;
    return decodeAsBytes(openImmutable(file, place));
  }
}

function openDatabase(file: string, place: string, settings: readonly string[]): Sqlite.Database {
  const database = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    for (const setting of settings) database.prepare(`pragma ${setting}`).all([]);
    checkSchema(database, place);
  } catch (error) {
    database.close();
    throw isSqliteError(error) ? damagedSchemaError() : error;
  }
  return database;
}

/**
 * Checks that a store contains only plain tables. The driver has no time limit, and a view or
 * computed column could make the store's statements run forever. A trigger could change stored
 * data. Reads names and types as bytes, for the same reason as `decodeAsBytes`.
 */
function checkSchema(database: Sqlite.Database, place: string): void {
  const columns = ['type', 'name', 'sql'].map((column) => `cast(${column} as blob) as "${column}"`);
  const query = `select ${columns} from sqlite_master where sql is not null`;
  const rows = database.prepare(query).all([]) as unknown as Record<string, ArrayBuffer>[];
  const objects = rows.map(({ type, name, sql }) => ({
    type: textOf(type),
    name: textOf(name),
    sql: textOf(sql),
  }));
  // Nothing more is read from another program's database.
  if (!objects.some(({ name }) => name === 'perturb_schema')) return;
  const violation = objects.find(({ sql }) => !PLAIN_TABLE.test(sql) || COMPUTED.test(sql));
  if (violation === undefined) return;
  const { type, name } = violation;
  const problem =
    type === 'table'
      ? `the table ${quote(name)} is not a plain table`
      : `it has the unexpected ${type} ${quote(name)}`;
  throw new StoreError(
    'corrupt',
    `${place} was modified outside Perturb (${problem}): replace it with a backup, or move the file away`,
  );
}

const PLAIN_TABLE = /^create table "\w+" \(/i;
const COMPUTED = /\b(?:generated|as)\b/i;

function textOf(bytes: ArrayBuffer | undefined): string {
  const view = new Uint8Array(bytes ?? []);
  if (!isUtf8(view)) throw damagedSchemaError();
  return Buffer.from(view).toString();
}

/**
 * Opens the file as immutable. SQLite then acquires no locks and ignores the write-ahead log, so
 * the log must be empty.
 */
function openImmutable(file: string, place: string): Sqlite.Database {
  if (sizeOf(`${file}-wal`) > 0) {
    throw new StoreError(
      'denied',
      `cannot read ${place}: ${place}-wal holds changes that are not checkpointed; open the store once with write access to its directory`,
    );
  }
  const path = encodeURI(file).replaceAll('?', '%3f').replaceAll('#', '%23');
  return openDatabase(`file:${path}?immutable=1`, place, []);
}

/** Returns a file's size in bytes; NaN if the file does not exist. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.NaN;
}

/**
 * Returns a database that reads texts as bytes and decodes them in this process. The driver itself
 * would terminate the process on invalid UTF-8, which a damaged file may contain. Invalid bytes
 * become U+FFFD, so the text's digest does not match.
 */
function decodeAsBytes(database: Sqlite.Database): SqliteDatabase {
  // Reuses prepared queries, because preparing takes longer than running a query for one row.
  const queries = new Map<string, Query>();
  return {
    close: () => void database.close(),
    prepare(sql) {
      if (!/^\s*select\b/i.test(sql)) {
        // A schema change may change the columns that "*" selects.
        if (!/^\s*(?:insert|update|delete)\b/i.test(sql)) queries.clear();
        return database.prepare(sql) as never;
      }
      const query = queries.get(sql) ?? prepareQuery(database, sql);
      queries.set(sql, query);
      return query as never;
    },
  };
}

/** A statement that returns rows, in the shape that Kysely expects. */
interface Query {
  readonly reader: true;
  all(parameters: readonly unknown[]): readonly Record<string, unknown>[];
}

/** The driver's statement methods that this file uses. */
interface Statement {
  columns(): readonly { readonly name: string }[];
  raw(): { all(parameters: readonly unknown[]): readonly (readonly unknown[])[] };
}

function prepareQuery(database: Sqlite.Database, sql: string): Query {
  const names = (database.prepare(sql) as unknown as Statement).columns().map(({ name }) => name);
  const statement = (database.prepare(toByteQuery(sql, names)) as unknown as Statement).raw();
  return {
    reader: true,
    all: (parameters) => statement.all(parameters).map((cells) => toRow(cells, names)),
  };
}

/**
 * Returns a query that reads texts as bytes. Adds a column with one letter per value that
 * identifies the value's type.
 */
function toByteQuery(sql: string, names: readonly string[]): string {
  const columns = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  const values = columns.map(
    (column) =>
      `case when typeof(${column}) = 'text' then cast(${column} as blob) else ${column} end`,
  );
  const types = columns.map((column) => `substr(typeof(${column}), 1, 1)`);
  return `select ${values.join(', ')}, ${types.join(' || ')} from (${sql})`;
}

function toRow(cells: readonly unknown[], names: readonly string[]): Record<string, unknown> {
  const types = cells[names.length] as string;
  return Object.fromEntries(
    names.map((name, index) => {
      const cell = cells[index];
      return [name, types[index] === 't' ? (cell as Buffer).toString() : cell];
    }),
  );
}
