import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { StoreError } from './store-error.js';
import type { ContentsTable, ObjectivesTable, RevisionsTable } from './tables.js';

/** The SHA-256 of bytes, or of a text in UTF-8, in hexadecimal. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A revision as the database gives it. Damage may have put anything into any column. */
export type RevisionRow = Selectable<RevisionsTable> &
  Omit<Selectable<ContentsTable>, 'revision_id'> &
  Pick<ObjectivesTable, 'name' | 'deleted_at'> & { readonly revisions: number };

const TEXTS = ['id', 'sha256', 'stop', 'rules'] as const;
const COUNTS = ['revision', 'revisions', 'measurements', 'mutators'] as const;

/** What is wrong with a revision by what the store itself keeps of it, for people. */
export function problemsOf(row: RevisionRow): readonly string[] {
  const unreadable = [
    ...TEXTS.filter((column) => typeof row[column] !== 'string'),
    ...COUNTS.filter((column) => !Number.isSafeInteger(row[column])),
    ...(['created_at', 'deleted_at'] as const).filter((column) => !isTime(row[column], column)),
    ...(['source_path', 'source_commit'] as const).filter(
      (column) => row[column] !== null && typeof row[column] !== 'string',
    ),
  ];
  if (row.id === null) return ['it is missing'];
  return [
    ...contentProblems(row),
    ...(row.original === null ||
    (isBytes(row.original) && digestOf(bytesOf(row.original)) === row.original_sha256)
      ? []
      : ['its file does not match its digest']),
    ...unreadable.map((column) => `its ${column} can't be read`),
  ];
}

/** What is wrong with the meaning of a revision, where only that was read. */
export function contentProblems({
  canonical,
  sha256,
}: Pick<RevisionRow, 'canonical' | 'sha256'>): readonly string[] {
  if (canonical === null) return ['its content is missing'];
  return typeof canonical === 'string' && digestOf(canonical) === sha256
    ? []
    : ['its content does not match its digest'];
}

/** What is wrong with a row of a list, which has nothing that its digest is over. */
export function listingProblems(row: Pick<RevisionRow, 'created_at' | 'stop'>): readonly string[] {
  return [
    ...(isTime(row.created_at, 'created_at') ? [] : ["its created_at can't be read"]),
    ...(isObject(row.stop) ? [] : ["its stop can't be read"]),
  ];
}

/** @throws StoreError (corrupt) when there are problems */
export function refuseDamage(
  { name, revision }: Pick<RevisionRow, 'name' | 'revision'>,
  problems: readonly string[],
  place: string,
): void {
  if (problems.length === 0) return;
  throw new StoreError(
    'corrupt',
    `${JSON.stringify(`${name}@${revision}`)} in ${place} is damaged: ${problems.join(', ')}; put a backup in its place, "perturb objective verify" says what else is damaged`,
  );
}

/** SQLite's driver gives an ArrayBuffer, that of PostgreSQL a Buffer. */
export function bytesOf(value: Uint8Array | ArrayBuffer): Uint8Array {
  return new Uint8Array(value);
}

function isBytes(value: unknown): value is Uint8Array | ArrayBuffer {
  return value instanceof Uint8Array || value instanceof ArrayBuffer;
}

function isTime(value: unknown, column: 'created_at' | 'deleted_at'): boolean {
  if (value === null) return column === 'deleted_at';
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
