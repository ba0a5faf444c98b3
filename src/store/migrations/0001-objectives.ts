import { sql } from 'kysely';
import type { Migration } from './migration.js';

/** The tables of objectives, their revisions and what these say. */
export const objectives: Migration = {
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
