import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type { SqliteDatabase } from 'kysely';
import Sqlite from 'libsql';
import { quote } from '../../diagnostics/index.js';
import { StoreError } from '../store.js';
import { damagedSchema, isSqliteError, isSqliteReadOnly } from './errors.js';

/** Timeout for a statement that waits for a lock; the session then lets others go first. */
export const BUSY_TIMEOUT_MS = 2_000;

const SETTINGS = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'];

/**
 * Opens a database for reading and writing; for reading only if the file or its directory cannot be written, as on
 * a read-only file system.
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
    throw isSqliteError(error) ? damagedSchema() : error;
  }
  return database;
}

/**
 * Checks that a store holds nothing but plain tables. A view or a computed column in their place could make our
 * statements run forever, a trigger could change stored data, and the driver has no limit for either. Reads names
 * and types as bytes, for the same reason as `decodeAsBytes`.
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
  // Another program's database is not read any further.
  if (!objects.some(({ name }) => name === 'perturb_schema')) return;
  const violation = objects.find(({ sql }) => !PLAIN_TABLE.test(sql) || COMPUTED.test(sql));
  if (violation === undefined) return;
  const { type, name } = violation;
  const problem =
    type === 'table'
      ? `the table ${quote(name)} is not a plain table`
      : `it has the ${type} ${quote(name)}`;
  throw new StoreError(
    'corrupt',
    `${place} was modified outside Perturb (${problem}): replace it with a backup, or move the file away`,
  );
}

const PLAIN_TABLE = /^create table "\w+" \(/i;
const COMPUTED = /\b(?:generated|as)\b/i;

function textOf(bytes: ArrayBuffer | undefined): string {
  const view = new Uint8Array(bytes ?? []);
  if (!isUtf8(view)) throw damagedSchema();
  return Buffer.from(view).toString();
}

/**
 * Opens the file as immutable. SQLite then takes no locks and ignores the log, so there must be no log with
 * changes.
 */
function openImmutable(file: string, place: string): Sqlite.Database {
  if (sizeOf(`${file}-wal`) > 0) {
    throw new StoreError(
      'denied',
      `cannot read ${place}: ${place}-wal holds changes not yet written to it; open the store once where its directory is writable`,
    );
  }
  const path = encodeURI(file).replaceAll('?', '%3f').replaceAll('#', '%23');
  return openDatabase(`file:${path}?immutable=1`, place, []);
}

/** Returns the size of a file; NaN if it does not exist. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.NaN;
}

/**
 * Returns a database that reads texts as bytes and decodes them here. The driver would end the whole process for a
 * text that is not UTF-8, which a damaged file may contain. Invalid bytes become U+FFFD, and the text's digest does
 * not match.
 */
function decodeAsBytes(database: Sqlite.Database): SqliteDatabase {
  // Preparing a query takes longer than running the query for one row.
  const queries = new Map<string, Query>();
  return {
    close: () => void database.close(),
    prepare(sql) {
      if (!/^\s*select\b/i.test(sql)) {
        // A change of the schema changes what "*" stands for.
        if (!/^\s*(?:insert|update|delete)\b/i.test(sql)) queries.clear();
        return database.prepare(sql) as never;
      }
      const query = queries.get(sql) ?? prepareQuery(database, sql);
      queries.set(sql, query);
      return query as never;
    },
  };
}

/** A statement that has rows, as Kysely uses it. */
interface Query {
  readonly reader: true;
  all(parameters: readonly unknown[]): readonly Record<string, unknown>[];
}

/** The part of the driver's statements that is used. */
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

/** Returns the query with texts as bytes, and one more column with a letter for the type of each value. */
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
