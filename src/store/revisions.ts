import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { quote } from '../diagnostics/index.js';
import type { ContentsTable, ObjectivesTable, RevisionsTable, StoreDatabase } from './session.js';
import { StoreError } from './store.js';

/** Returns the SHA-256 of bytes, or of a text in UTF-8, in hexadecimal. */
export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** A revision's sealed fields: all fields, with digests in place of long texts. */
type SealedFields = Omit<Selectable<RevisionsTable>, 'objective_id' | 'seal'> &
  Pick<ObjectivesTable, 'name'>;

/** Returns the digest of a whole revision, to detect a swap with another revision. */
export function sealOf(row: SealedFields): string {
  return sha256Of(
    JSON.stringify([
      ...[row.id, row.name, row.revision, row.sha256, row.original_sha256],
      ...[row.measurements, row.mutators, row.stop],
      ...[row.rules, row.source_path, row.source_commit, row.created_at],
    ]),
  );
}

/**
 * A stored revision. If the store is damaged, any column may contain anything. Columns of a missing
 * row are null.
 */
export type RevisionRow = Selectable<RevisionsTable> &
  Omit<Selectable<ContentsTable>, 'revision_id'> &
  Pick<ObjectivesTable, 'name' | 'deleted_at'> & {
    /**
     * The newest revision number according to the objective's row. `last` is the highest number
     * among the stored revisions.
     */
    readonly revisions: number;
    readonly last: number;
  };

const NEWEST_UNKNOWN = 'the newest revision is unknown';

/** Returns the problems with a revision, as texts for users. */
export function problemsOf(row: RevisionRow): readonly string[] {
  const { canonical, original, sha256, original_sha256, deleted_at } = row;
  if (!Number.isSafeInteger(row.revisions)) return [NEWEST_UNKNOWN];
  if (row.id === null) return ['it is missing'];
  if (canonical === null || original === null) return ['its content is missing'];
  return [
    ...(typeof canonical === 'string' && sha256Of(canonical) === sha256
      ? []
      : ['its content does not match its digest']),
    ...(original instanceof Uint8Array && sha256Of(original) === original_sha256
      ? []
      : ['its file does not match its digest']),
    ...sealProblems(row),
    ...(row.last <= row.revisions ? [] : [NEWEST_UNKNOWN]),
    ...deletionProblems(deleted_at),
  ];
}

/** Returns the problems with an objective's deletion time. */
export function deletionProblems(deleted_at: string | null): readonly string[] {
  return deleted_at === null || isTime(deleted_at) ? [] : ['its deletion time is unreadable'];
}

/** True if a value is a time in the store's format. */
export function isTime(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Returns the problems with a revision's fields other than the content. */
export function sealProblems(
  row: SealedFields & { readonly seal: string | null },
): readonly string[] {
  return sealOf(row) === row.seal ? [] : ['its other fields do not match its seal'];
}

/** Throws a StoreError (corrupt) if there are problems. */
export function assertUndamaged(
  { name, revision }: Pick<RevisionRow, 'name' | 'revision'>,
  problems: readonly string[],
  place: string,
): void {
  if (problems.length === 0) return;
  const subject = Number.isSafeInteger(revision) ? `${name}@${revision}` : name;
  throw new StoreError(
    'corrupt',
    `${quote(subject)} in ${place} is damaged: ${problems.join(', ')}; restore the store from a backup ("perturb doctor" lists all damage)`,
  );
}

/**
 * Returns a revision with its content (default: the newest), given the objective's name or id.
 * Returns undefined if the objective or the revision does not exist. Fields missing because of
 * damage are null.
 */
export async function revisionOf(
  db: StoreDatabase,
  key: { readonly name: string } | { readonly id: string },
  revision: number | undefined,
): Promise<RevisionRow | undefined> {
  const row = await db
    .selectFrom('perturb_objectives as o')
    .leftJoin('perturb_revisions as r', (join) =>
      join
        .onRef('r.objective_id', '=', 'o.id')
        .on((on) =>
          on('r.revision', '=', revision === undefined ? on.ref('o.revision') : revision),
        ),
    )
    .leftJoin('perturb_contents as c', 'c.revision_id', 'r.id')
    .selectAll('r')
    .select(['o.name', 'o.revision as revisions', 'o.deleted_at', 'c.original', 'c.canonical'])
    .select((expressions) =>
      expressions
        .selectFrom('perturb_revisions as all')
        .select(({ fn }) => fn.max('all.revision').as('last'))
        .whereRef('all.objective_id', '=', 'o.id')
        .as('last'),
    )
    .where((where) => ('name' in key ? where('o.name', '=', key.name) : where('o.id', '=', key.id)))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isOutOfRange = revision !== undefined && (revision < 1 || revision > row.revisions);
  if (row.id === null && isOutOfRange) return undefined;
  return { ...row, revision: row.revision ?? revision ?? row.revisions } as RevisionRow;
}
