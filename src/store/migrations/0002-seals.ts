import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Migration } from './migration.js';

/** The digest of each file beside that of its meaning, and one over all of a revision. */
export const seals: Migration = {
  name: 'seals',
  async up(db) {
    const table = db.schema.alterTable('perturb_revisions');
    await table.addColumn('original_sha256', 'text').execute();
    await table.addColumn('seal', 'text').execute();
    const tables = db as Kysely<Tables>;
    const rows = await tables
      .selectFrom('perturb_revisions as r')
      .innerJoin('perturb_objectives as o', 'o.id', 'r.objective_id')
      .selectAll('r')
      .select('o.name')
      .execute();
    // One after another, for files may be large.
    for (const row of rows) {
      const content = await tables
        .selectFrom('perturb_contents')
        .select('original')
        .where('revision_id', '=', row.id)
        .executeTakeFirst();
      // A revision whose content is missing stays damaged, and does not keep the others back.
      const original_sha256 = content === undefined ? null : digestOf(content.original);
      await tables
        .updateTable('perturb_revisions')
        .set({ original_sha256, seal: sealOf({ ...row, original_sha256 }) })
        .where('id', '=', row.id)
        .execute();
    }
  },
};

/** As `sealOf` was when this step was made. */
function sealOf(row: Row): string {
  return digestOf(
    JSON.stringify([
      ...[row.id, row.name, row.revision, row.sha256, row.original_sha256],
      ...[row.measurements, row.mutators, row.stop],
      ...[row.rules, row.source_path, row.source_commit, row.created_at],
    ]),
  );
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

type Row = Omit<Tables['perturb_revisions'], 'objective_id' | 'seal'> & { readonly name: string };

/** What this step uses of the tables as they were then. */
interface Tables {
  perturb_objectives: { id: string; name: string };
  perturb_revisions: {
    id: string;
    objective_id: string;
    revision: number;
    sha256: string;
    original_sha256: string | null;
    measurements: number;
    mutators: number;
    stop: string;
    rules: string;
    source_path: string | null;
    source_commit: string | null;
    created_at: string;
    seal: string | null;
  };
  perturb_contents: { revision_id: string; original: Uint8Array };
}
