import { getSystemErrorMap } from 'node:util';
import { StoreError } from './store-error.js';

/** What libsql calls the errors of SQLite that it met while it opened a file. */
const OPENING: Readonly<Record<string, string>> = {
  '5': 'SQLITE_BUSY',
  '14': 'SQLITE_CANTOPEN',
  '26': 'SQLITE_NOTADB',
};

/** Whether another process was in the way for longer than SQLite itself waits. */
export function isSqliteBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(codeOf(error) ?? '');
}

/** An error of SQLite or of the file system for people; undefined for a bug. */
export function explainSqlite(error: unknown, place: string): StoreError | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  switch (/^SQLITE_[A-Z]+/.exec(code)?.[0]) {
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    case 'SQLITE_PROTOCOL':
      return new StoreError(
        'busy',
        `${place} is in use by another process all the time: try again when that has ended`,
      );
    case 'SQLITE_NOTADB':
      return new StoreError(
        'corrupt',
        `${place} is not a database: name another place for the store, or move the file away`,
      );
    case 'SQLITE_CORRUPT':
      return new StoreError(
        'corrupt',
        `${place} is damaged: put a backup in its place, or move the file away`,
      );
    case 'SQLITE_FULL':
      return new StoreError(
        'full',
        `there is no space left for ${place}: nothing was stored, make room and try again`,
      );
    case 'SQLITE_IOERR':
      return new StoreError(
        'failed',
        `the disk failed under ${place}: nothing was stored, look for a full disk, a quota or a defect`,
      );
    case 'SQLITE_CANTOPEN':
      return new StoreError(
        'denied',
        `can't open ${place}: its directory must be there, and you must be allowed to write in it`,
      );
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
      return new StoreError(
        'denied',
        `can't write ${place}: you must be allowed to write the file and in its directory`,
      );
  }
  return explainSystem(error, place);
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
    `can't make ${place}: ${reason}; name another place with --store`,
  );
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  const number = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1];
  return number === undefined ? undefined : (OPENING[number] ?? `SQLITE_ERROR_${number}`);
}
