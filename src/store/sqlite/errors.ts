import { format, getSystemErrorMap } from 'node:util';
import { StoreError, type StoreErrorCode } from '../store.js';

/** The explanation of an error. In its text, `%s` is a placeholder for the store's location. */
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

/**
 * Explanations by SQLite's primary result codes. libsql does not always provide the codes' names.
 */
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

/**
 * True if SQLite rejected a statement. For the store's statements, this means that the schema is
 * damaged.
 */
export function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'rawCode' in error && error.rawCode === 1;
}

/** Returns the error for a damaged schema that SQLite accepts, or reports under another name. */
export function damagedSchemaError(): Error {
  return Object.assign(new Error('the schema is damaged'), { rawCode: 11 });
}

/** True if a file or its directory is not writable. The file may still be readable. */
export function isSqliteReadOnly(error: unknown): boolean {
  return [CANTOPEN, READONLY, PERM].includes(numberOf(error));
}

/** Explains a SQLite or file system error to the user. Returns undefined for a bug. */
export function explainSqlite(error: unknown, place: string): StoreError | undefined {
  // The store's statements fit its schema, unless the schema or its version is damaged.
  const isMisfit =
    error instanceof Error &&
    /^no such (?:column|table): |already exists|^duplicate column name: /.test(error.message);
  const explanation = EXPLANATIONS.get(numberOf(error)) ?? (isMisfit ? DAMAGED : undefined);
  return explanation
    ? new StoreError(explanation[0], format(explanation[1], place))
    : explainSystem(error, place);
}

/** Explains a file system error. */
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

/**
 * Returns an error's primary result code. When opening a file fails, only the message contains the
 * code.
 */
function numberOf(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const code =
    'rawCode' in error
      ? error.rawCode
      : /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1];
  // The lowest byte of an extended code is the primary code.
  return Number(code) & 0xff;
}
