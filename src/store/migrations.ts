import { type Kysely, sql } from 'kysely';
import { sealOf, sha256Of } from './revisions.js';
import type { Driver, StoreDatabase, StoreSession } from './session.js';
import { StoreError } from './store.js';

/** A step from one schema version to the next, which runs inside a transaction. */
export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, driver: Pick<Driver, 'bytes'>) => Promise<void>;
}

/**
 * Migrates a store to the newest schema, in one transaction and after making a backup. Writes
 * nothing to a store that already has the newest schema.
 *
 * @throws StoreError if a newer version of Perturb, or another program, wrote the store
 */
export async function migrate(
  session: StoreSession,
  migrations: readonly Migration[],
  now: () => Date,
): Promise<void> {
  const current = await session.read((db) => versionOf(session, db, migrations));
  if (current === migrations.length) return;
  await session.write(async (db) => {
    // Another process may have migrated the store meanwhile.
    const version = await versionOf(session, db, migrations);
    if (version === migrations.length) return;
    if (version > 0) await session.driver.backUp(version);
    else await createSchemaTable(db);
    for (const [index, { name, up }] of migrations.slice(version).entries()) {
      await up(db as Kysely<unknown>, session.driver);
      await db
        .insertInto('perturb_schema')
        .values({ version: version + index + 1, name, applied_at: now().toISOString() })
        .execute();
    }
  });
}

/** Reads the schema version, which is 0 for an empty database. */
async function versionOf(
  { driver }: StoreSession,
  db: StoreDatabase,
  migrations: readonly Migration[],
): Promise<number> {
  const content = await driver.inspect(db as Kysely<unknown>);
  if (content === 'empty') return 0;
  if (content === 'foreign') {
    throw new StoreError(
      'foreign',
      `${driver.place} is another program's database: choose another location for the store`,
    );
  }
  const { version } = await db
    .selectFrom('perturb_schema')
    .select(sql<number>`max(version)`.as('version'))
    .executeTakeFirstOrThrow();
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new StoreError(
      'corrupt',
      `${driver.place} is damaged: its schema version is unreadable; replace it with a backup`,
    );
  }
  if (version <= migrations.length) return version;
  throw new StoreError(
    'newer',
    `${driver.place} was written by a newer Perturb (schema ${version}; this one supports up to ${migrations.length}): update Perturb`,
  );
}

async function createSchemaTable(db: StoreDatabase): Promise<void> {
  await db.schema
    .createTable('perturb_schema')
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute();
}

/** The tables of objectives, their revisions and the revisions' contents. */
const objectives: Migration = {
  name: 'objectives',
  async up(db, { bytes }) {
    await db.schema
      .createTable('perturb_objectives')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('deleted_at', 'text')
      .execute();
    await db.schema
      .createTable('perturb_revisions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('objective_id', 'text', (column) =>
        column.notNull().references('perturb_objectives.id').onDelete('cascade'),
      )
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('measurements', 'integer', (column) => column.notNull())
      .addColumn('mutators', 'integer', (column) => column.notNull())
      .addColumn('stop', 'text', (column) => column.notNull())
      .addColumn('rules', 'text', (column) => column.notNull())
      .addColumn('source_path', 'text')
      .addColumn('source_commit', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('perturb_revisions_dense', ['objective_id', 'revision'])
      .execute();
    await db.schema
      .createTable('perturb_contents')
      .addColumn('revision_id', 'text', (column) =>
        column.primaryKey().references('perturb_revisions.id').onDelete('cascade'),
      )
      .addColumn('original', sql.raw(bytes), (column) => column.notNull())
      .addColumn('canonical', 'text', (column) => column.notNull())
      .execute();
  },
};

/**
 * Digests of each file and of each whole revision, in addition to the digest of the canonical JSON.
 */
const seals: Migration = {
  name: 'seals',
  async up(db) {
    const table = db.schema.alterTable('perturb_revisions');
    await table.addColumn('original_sha256', 'text').execute();
    await table.addColumn('seal', 'text').execute();
    const tables = db as StoreDatabase;
    const rows = await tables
      .selectFrom('perturb_revisions as r')
      .innerJoin('perturb_objectives as o', 'o.id', 'r.objective_id')
      .selectAll('r')
      .select('o.name')
      .execute();
    // Sequentially, because files may be large.
    for (const row of rows) {
      const content = await tables
        .selectFrom('perturb_contents')
        .select('original')
        .where('revision_id', '=', row.id)
        .executeTakeFirst();
      // A revision without its content stays damaged, but does not block the migration of other
      // revisions.
      const original_sha256 = content === undefined ? null : sha256Of(content.original);
      await tables
        .updateTable('perturb_revisions')
        .set({ original_sha256, seal: sealOf({ ...row, original_sha256 }) })
        .where('id', '=', row.id)
        .execute();
    }
  },
};

/** All migrations in order. The first produces version 1. A released migration never changes. */
export const migrations: readonly Migration[] = [objectives, seals];
