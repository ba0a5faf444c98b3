import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Migration } from './migration.js';

/** The digest of each file, beside that of its meaning. */
export const digestsOfFiles: Migration = {
  name: 'digests of files',
  async up(db) {
    await db.schema.alterTable('perturb_revisions').addColumn('original_sha256', 'text').execute();
    const tables = db as Kysely<Tables>;
    const rows = await tables.selectFrom('perturb_contents').select('revision_id').execute();
    // One after another, for files may be large.
    for (const { revision_id } of rows) {
      const { original } = await tables
        .selectFrom('perturb_contents')
        .select('original')
        .where('revision_id', '=', revision_id)
        .executeTakeFirstOrThrow();
      const original_sha256 = createHash('sha256').update(new Uint8Array(original)).digest('hex');
      await tables
        .updateTable('perturb_revisions')
        .set({ original_sha256 })
        .where('id', '=', revision_id)
        .execute();
    }
  },
};

/** What this step uses of the tables as they were then. */
interface Tables {
  perturb_revisions: { id: string; original_sha256: string | null };
  perturb_contents: { revision_id: string; original: Uint8Array };
}
