import type { Insertable } from 'kysely';
import {
  assertUndamaged,
  problemsOf,
  type RevisionRow,
  revisionOf,
  sealOf,
  sha256Of,
} from './revisions.js';
import type {
  ContentsTable,
  ObjectivesTable,
  RevisionsTable,
  StoreDatabase,
  Tables,
} from './session.js';
import type { Candidate, RegisterOptions, Registration } from './store.js';

/** Number of rows per statement. With more rows, large files would fill the memory. */
const BATCH = 50;

/** The source of times and ids for revisions; `place` is the store's name in messages. */
export interface RevisionSource {
  readonly now: () => Date;
  readonly newId: (now: Date) => string;
  readonly place: string;
}

interface Decision {
  readonly candidate: Candidate;
  readonly existing: RevisionRow | undefined;
  readonly registration: Registration;
}

/** Registers candidates within a transaction, as `ObjectiveStore.register` describes. */
export async function register(
  db: StoreDatabase,
  candidates: readonly Candidate[],
  options: RegisterOptions,
  source: RevisionSource,
): Promise<readonly Registration[]> {
  const decisions: Decision[] = [];
  const names = await findExistingNames(db, candidates);
  for (const candidate of candidates) {
    const { name } = candidate;
    const storedRevision = names.has(name) ? await revisionOf(db, { name }, undefined) : undefined;
    // A candidate cannot be compared with a damaged revision.
    if (storedRevision) assertUndamaged(storedRevision, problemsOf(storedRevision), source.place);
    const id = source.newId(source.now());
    const registration = decide(candidate, storedRevision, id, options.update === true);
    decisions.push({ candidate, existing: storedRevision, registration });
  }
  const registrations = decisions.map(({ registration }) => registration);
  if (!options.dryRun && !registrations.some(({ refused }) => refused)) {
    await applyDecisions(db, decisions, source);
  }
  return registrations;
}

/**
 * Returns the candidates' names that already exist in the store. Most names are new, so this saves
 * a query for each new name.
 */
async function findExistingNames(
  db: StoreDatabase,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const storedNames = new Set<string>();
  for (let index = 0; index < candidates.length; index += BATCH) {
    const names = candidates.slice(index, index + BATCH).map(({ name }) => name);
    const rows = await db
      .selectFrom('perturb_objectives')
      .select('name')
      .where('name', 'in', names)
      .execute();
    for (const { name } of rows) storedNames.add(name);
  }
  return storedNames;
}

function decide(
  { name, canonical }: Candidate,
  existing: RevisionRow | undefined,
  id: string,
  update: boolean,
): Registration {
  const sha256 = sha256Of(canonical);
  if (existing === undefined) {
    return { refused: false, outcome: 'created', name, revision: 1, id, sha256 };
  }
  const { revision, canonical: previous } = existing;
  const isDeleted = existing.deleted_at !== null;
  if (existing.sha256 === sha256 && (update || !isDeleted)) {
    const outcome = isDeleted ? 'restored' : 'unchanged';
    return { refused: false, outcome, name, revision, id: existing.id, sha256, previous };
  }
  if (!update) {
    const outcome = isDeleted ? 'deleted' : 'differs';
    return {
      refused: true,
      outcome,
      name,
      revision,
      id: existing.id,
      sha256: existing.sha256,
      previous,
    };
  }
  return { refused: false, outcome: 'updated', name, revision: revision + 1, id, sha256, previous };
}

async function applyDecisions(
  db: StoreDatabase,
  decisions: readonly Decision[],
  source: RevisionSource,
): Promise<void> {
  const objectives: Insertable<ObjectivesTable>[] = [];
  const revisions: Insertable<RevisionsTable>[] = [];
  const contents: Insertable<ContentsTable>[] = [];
  for (const { candidate, existing, registration } of decisions) {
    if (registration.outcome === 'unchanged') continue;
    const now = source.now();
    const created_at = now.toISOString();
    const { name, revision, id, sha256 } = registration;
    const objective_id = existing?.objective_id ?? source.newId(now);
    if (existing === undefined) {
      objectives.push({ id: objective_id, name, revision, created_at, deleted_at: null });
    } else {
      await db
        .updateTable('perturb_objectives')
        .set({ revision, deleted_at: null })
        .where('id', '=', objective_id)
        .execute();
    }
    if (registration.outcome === 'restored') continue;
    const { original, canonical, origin, summary } = candidate;
    const row = {
      ...{ id, revision, sha256, created_at, ...summary },
      original_sha256: sha256Of(original),
      rules: origin.rules,
      source_path: origin.path ?? null,
      source_commit: origin.commit ?? null,
    };
    revisions.push({ ...row, objective_id, seal: sealOf({ ...row, name }) });
    contents.push({
      revision_id: id,
      original: Buffer.from(original.buffer, original.byteOffset, original.byteLength),
      canonical,
    });
  }
  await insert(db, 'perturb_objectives', objectives);
  await insert(db, 'perturb_revisions', revisions);
  await insert(db, 'perturb_contents', contents);
}

async function insert<Table extends keyof Tables>(
  db: StoreDatabase,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): Promise<void> {
  for (let index = 0; index < rows.length; index += BATCH) {
    await db
      .insertInto(table)
      .values(rows.slice(index, index + BATCH))
      .execute();
  }
}
