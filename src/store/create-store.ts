import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { defined } from '../values/index.js';
import type { Migration } from './migrations.js';
import { migrations as allMigrations, migrate } from './migrations.js';
import { register } from './register.js';
import {
  assertUndamaged,
  deletionProblems,
  problemsOf,
  type RevisionRow,
  revisionOf,
  sealProblems,
} from './revisions.js';
import type { ObjectivesTable, RevisionsTable, StoreDatabase, StoreSession } from './session.js';
import type {
  Identity,
  ListedObjective,
  LogEntry,
  ObjectiveStore,
  Revision,
  RevisionOrigin,
  Summary,
} from './store.js';
import { verify } from './verify.js';

/** Overrides for tests. */
export interface StoreOptions {
  readonly now?: () => Date;
  readonly migrations?: readonly Migration[];
}

/** Returns a store that uses a session, after migrating its schema to the newest version. */
export async function createStore(
  session: StoreSession,
  { now = () => new Date(), migrations = allMigrations }: StoreOptions,
): Promise<ObjectiveStore> {
  await migrate(session, migrations, now);
  const { place } = session.driver;
  const source = { now, place, newId: uuidv7 };
  return {
    register: (candidates, options = {}) =>
      session.write((db) => register(db, candidates, options, source)),
    list: ({ deleted = false } = {}) => session.read((db) => list(db, place, deleted)),
    log: (name) => session.read((db) => log(db, name, place)),
    find: (name, revision) => session.read((db) => find(db, name, revision, place)),
    names: () => session.read(names),
    delete: (name) => session.write((db) => setDeletedAt(db, name, now().toISOString())),
    restore: (name) => session.write((db) => setDeletedAt(db, name, null)),
    verify: (options = {}) => session.readAtOnce((db) => verify(db, session.driver, options)),
    purge: (name) => session.write((db) => purge(db, name)),
    close: () => session.close(),
  };
}

async function list(
  db: StoreDatabase,
  place: string,
  deleted: boolean,
): Promise<readonly ListedObjective[]> {
  const rows = await db
    .selectFrom('perturb_objectives as o')
    .leftJoin('perturb_revisions as r', (join) =>
      join.onRef('r.objective_id', '=', 'o.id').onRef('r.revision', '=', 'o.revision'),
    )
    .selectAll('r')
    .select(['o.name', 'o.deleted_at', 'o.revision as newest'])
    .where('o.deleted_at', deleted ? 'is not' : 'is', null)
    .execute();
  const objectives = rows.map((joinedRow) => {
    const row = joinedRow as ListedRow;
    const problems =
      joinedRow.id === null
        ? ['its newest revision is missing']
        : [...sealProblems(row), ...deletionProblems(row.deleted_at)];
    assertUndamaged({ name: row.name, revision: joinedRow.newest }, problems, place);
    return { ...toSummary(row), ...deletionOf(row) };
  });
  // Sorted here, in UTF-16 order, because sort orders differ between databases.
  return objectives.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A row whose revision exists. */
type ListedRow = Selectable<RevisionsTable> & Pick<ObjectivesTable, 'name' | 'deleted_at'>;

async function log(db: StoreDatabase, name: string, place: string): Promise<readonly LogEntry[]> {
  const rows = await db
    .selectFrom('perturb_objectives as o')
    .innerJoin('perturb_revisions as r', 'r.objective_id', 'o.id')
    .selectAll('r')
    .select('o.name')
    .where('o.name', '=', name)
    .orderBy('r.revision', 'desc')
    .execute();
  for (const row of rows) assertUndamaged(row, sealProblems(row), place);
  return rows.map((row) => ({ ...toSummary(row), origin: toOrigin(row) }));
}

type SummaryRow = Identity & Summary & { readonly created_at: string };

function toSummary(row: Omit<SummaryRow, 'createdAt'>): Identity & Summary {
  const { id, name, revision, sha256, measurements, mutators, stop, created_at } = row;
  return {
    ...{ id, name, revision, sha256, measurements, mutators, stop },
    createdAt: new Date(created_at),
  };
}

function deletionOf({ deleted_at }: Pick<ObjectivesTable, 'deleted_at'>) {
  return deleted_at === null ? {} : { deletedAt: new Date(deleted_at) };
}

function toOrigin(
  row: Pick<RevisionRow, 'rules' | 'source_path' | 'source_commit'>,
): RevisionOrigin {
  const { source_path: path, source_commit: commit } = row;
  return { rules: row.rules, ...defined({ path: path ?? undefined, commit: commit ?? undefined }) };
}

async function find(
  db: StoreDatabase,
  name: string,
  revisionNumber: number | undefined,
  place: string,
): Promise<Revision | undefined> {
  const row = await revisionOf(db, { name }, revisionNumber);
  if (row === undefined) return undefined;
  assertUndamaged(row, problemsOf(row), place);
  const { id, revision, revisions, sha256, canonical } = row;
  return {
    ...{ id, name: row.name, revision, revisions, sha256, canonical },
    createdAt: new Date(row.created_at),
    // A copy, because the drivers return a Buffer, which is a subclass of Uint8Array.
    original: new Uint8Array(row.original),
    origin: toOrigin(row),
    ...deletionOf(row),
  };
}

async function names(db: StoreDatabase): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('perturb_objectives')
    .select('name')
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ name }) => name).sort();
}

/**
 * Marks an objective as deleted at a time, or as not deleted. Returns true if this changed the
 * objective.
 */
async function setDeletedAt(
  db: StoreDatabase,
  name: string,
  deleted_at: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('perturb_objectives')
    .set({ deleted_at })
    .where('name', '=', name)
    .where('deleted_at', deleted_at === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes an objective permanently. The database also removes its revisions and their contents. */
async function purge(db: StoreDatabase, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('perturb_objectives')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Returns a version 7 UUID (RFC 9562): 48 bits of Unix time in milliseconds, then random bits. The
 * ids therefore sort by time. The other fields are as in random UUIDs of version 4.
 */
function uuidv7(date: Date): string {
  const time = date.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
