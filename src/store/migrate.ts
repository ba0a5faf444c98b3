import { type Kysely, sql } from 'kysely';
import type { Migration } from './migrations/index.js';
import type { Database, Session } from './session.js';
import { StoreError } from './store-error.js';

/**
 * Brings a store to the newest schema, in one transaction and after keeping a
 * copy. A store that has it is only read.
 *
 * @throws StoreError when a newer Perturb wrote it, or another program
 */
export async function migrate(
  session: Session,
  migrations: readonly Migration[],
  now: () => Date,
): Promise<void> {
  if ((await session.read((db) => versionOf(session, db, migrations))) === migrations.length)
    return;
  await session.write(async (db) => {
    // Another process may have been faster.
    const version = await versionOf(session, db, migrations);
    if (version === migrations.length) return;
    if (version > 0) await session.driver.backUp(version);
    else await createSchemaTable(db);
    for (const [index, { name, up }] of migrations.slice(version).entries()) {
      await up(db as Kysely<unknown>, session.driver.types);
      await db
        .insertInto('perturb_schema')
        .values({ version: version + index + 1, name, applied_at: now().toISOString() })
        .execute();
    }
  });
}

/** The version of the schema, 0 for an empty database. */
async function versionOf(
  { driver }: Session,
  db: Database,
  migrations: readonly Migration[],
): Promise<number> {
  const content = await driver.inspect(db as Kysely<unknown>);
  if (content === 'empty') return 0;
  if (content === 'foreign') {
    throw new StoreError(
      'foreign',
      `${driver.place} is a database of another program: name another place for the store`,
    );
  }
  const { version } = await db
    .selectFrom('perturb_schema')
    .select(sql<number>`max(version)`.as('version'))
    .executeTakeFirstOrThrow();
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new StoreError(
      'corrupt',
      `${driver.place} is damaged: the version of its schema is unreadable; put a backup in its place`,
    );
  }
  if (version <= migrations.length) return version;
  throw new StoreError(
    'newer',
    `${driver.place} was written by a newer Perturb (schema ${version}, this one knows ${migrations.length}): update Perturb`,
  );
}

async function createSchemaTable(db: Database): Promise<void> {
  await db.schema
    .createTable('perturb_schema')
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute();
}
