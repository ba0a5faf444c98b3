import { format, getSystemErrorMap } from 'node:util';
import { StoreError, type StoreErrorCode } from '../store.js';

/** The explanation of an error. In its text, `%s` stands for the store's location. */
type Explanation = readonly [code: StoreErrorCode, text: string];

const BUSY: Explanation = [
  'busy',
  '%s is in use by another process: try again when that process has ended',
];
const UNWRITABLE: Explanation = [
  'denied',
  'cannot write %s: the file and its directory must be writable',
];
const DAMAGED: Explanation = [
  'corrupt',
  '%s is damaged: replace it with a backup, or move the file away',
];
const FAILED: Explanation = [
  'failed',
  'disk error at %s: nothing was stored; check for a full disk, a quota or faulty hardware',
];
const FULL: Explanation = [
  'full',
  'no space left for %s: nothing was stored; free some space and try again',
];
const UNOPENED: Explanation = [
  'denied',
  'cannot open %s: its directory must exist and be writable',
];
const FOREIGN: Explanation = [
  'corrupt',
  '%s is not a database: choose another location for the store, or move the file away',
];

const [PERM, READONLY, CANTOPEN] = [3, 8, 14];

/** Explanations of SQLite's primary result codes; libsql does not always have names for them. */
const EXPLANATIONS: ReadonlyMap<number, Explanation> = new Map([
  [PERM, UNWRITABLE],
  [5, BUSY],
  [6, BUSY],
  [READONLY, UNWRITABLE],
  [10, FAILED],
  [11, DAMAGED],
  [13, FULL],
  [CANTOPEN, UNOPENED],
  [15, BUSY],
  [23, UNWRITABLE],
  [26, FOREIGN],
]);

/** True if another process interfered for longer than SQLite itself waits. */
export function isSqliteBusy(error: unknown): boolean {
  return EXPLANATIONS.get(numberOf(error)) === BUSY;
}

/** True if SQLite rejected a statement, which happens to the store's statements only with a damaged schema. */
export function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'rawCode' in error && error.rawCode === 1;
}

/** Returns the error for a damaged schema that SQLite itself accepts, or reports under another name. */
export function damagedSchema(): Error {
  return Object.assign(new Error('the schema is damaged'), { rawCode: 11 });
}

/** True if a file or its directory cannot be written; the file may still be readable. */
export function isSqliteReadOnly(error: unknown): boolean {
  return [CANTOPEN, READONLY, PERM].includes(numberOf(error));
}

/** Explains an error of SQLite or of the file system for people; undefined for a bug. */
export function explainSqlite(error: unknown, place: string): StoreError | undefined {
  // Our statements fit our schema, unless a byte of the schema or its version was damaged.
  const isMisfit =
    error instanceof Error &&
    /^no such (?:column|table): |already exists|^duplicate column name: /.test(error.message);
  const explanation = EXPLANATIONS.get(numberOf(error)) ?? (isMisfit ? DAMAGED : undefined);
  return explanation
    ? new StoreError(explanation[0], format(explanation[1], place))
    : explainSystem(error, place);
}

/** Explains an error of the file system. */
function explainSystem(error: unknown, place: string): StoreError | undefined {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number')) {
    return undefined;
  }
  const [code, reason] = getSystemErrorMap().get(error.errno) ?? [];
  if (reason === undefined) return undefined;
  return new StoreError(
    code === 'ENOSPC' ? 'full' : 'denied',
    `cannot create ${place}: ${reason}; choose another location with --store`,
  );
}

/** Returns the primary result code of an error; an error in opening a file contains it only in its message. */
function numberOf(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const code =
    'rawCode' in error
      ? error.rawCode
      : /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1];
  // An extended code holds the primary code in its lowest byte.
  return Number(code) & 0xff;
}
