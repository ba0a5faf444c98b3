import { getSystemErrorMap } from 'node:util';
import { StoreError } from '../store.js';

/** SQLite's primary result codes: libsql has a number for each error, but not always a name. */
const NAMES: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
};

/** Whether another process was in the way for longer than SQLite itself waits. */
export function isSqliteBusy(error: unknown): boolean {
  return ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'].includes(nameOf(error) ?? '');
}

/** Whether SQLite rejects a statement; of ours it rejects one only if the schema is damaged. */
export function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'rawCode' in error && error.rawCode === 1;
}

/** The error for a damaged schema that SQLite itself accepts, or calls by another name. */
export function damagedSchema(): Error {
  return Object.assign(new Error('the schema is damaged'), { rawCode: 11 });
}

/** Whether a file or its directory cannot be written, so that it may still be read. */
export function isSqliteReadOnly(error: unknown): boolean {
  return ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM'].includes(nameOf(error) ?? '');
}

/** An error of SQLite or of the file system for people; undefined for a bug. */
export function explainSqlite(error: unknown, place: string): StoreError | undefined {
  switch (nameOf(error)) {
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    case 'SQLITE_PROTOCOL':
      return new StoreError(
        'busy',
        `${place} has been in use by another process for too long: try again when that has ended`,
      );
    case 'SQLITE_NOTADB':
      return new StoreError(
        'corrupt',
        `${place} is not a database: name another place for the store, or move the file away`,
      );
    case 'SQLITE_CORRUPT':
      return damaged(place);
    case 'SQLITE_FULL':
      return new StoreError(
        'full',
        `there is no space left for ${place}: nothing was stored; make room and try again`,
      );
    case 'SQLITE_IOERR':
      return new StoreError(
        'failed',
        `the disk failed under ${place}: nothing was stored; look for a full disk, a quota or a defect`,
      );
    case 'SQLITE_CANTOPEN':
      return new StoreError(
        'denied',
        `cannot open ${place}: its directory must exist and be writable`,
      );
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
      return new StoreError(
        'denied',
        `cannot write ${place}: the file and its directory must be writable`,
      );
  }
  // Our statements fit our schema, unless a byte of the schema or its version was damaged.
  if (
    error instanceof Error &&
    /^no such (?:column|table): |already exists|^duplicate column name: /.test(error.message)
  ) {
    return damaged(place);
  }
  return explainSystem(error, place);
}

function damaged(place: string): StoreError {
  return new StoreError(
    'corrupt',
    `${place} is damaged: put a backup in its place, or move the file away`,
  );
}

/** An error of the file system. */
function explainSystem(error: unknown, place: string): StoreError | undefined {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number')) {
    return undefined;
  }
  const [code, reason] = getSystemErrorMap().get(error.errno) ?? [];
  if (reason === undefined) return undefined;
  return new StoreError(
    code === 'ENOSPC' ? 'full' : 'denied',
    `cannot create ${place}: ${reason}; name another place with --store`,
  );
}

/** The name of the primary result code that an error has. */
function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const number = 'rawCode' in error ? Number(error.rawCode) : numberInMessage(error.message);
  // An extended code holds the primary one in its lowest byte.
  return NAMES[number & 0xff];
}

/** An error of opening a file has its code in the message alone. */
function numberInMessage(message: string): number {
  return Number(/^ConnectionFailed\(.*: (\d+)"\)$/s.exec(message)?.[1]);
}
