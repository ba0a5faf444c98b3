import type { RevisionRow } from './digest.js';
import type { Database } from './session.js';

/**
 * A revision of the objective with a name or an id, the newest when none is asked for,
 * with all that is kept of it; undefined when there is none. What should be
 * there and is not is null, for it was damaged.
 */
export async function revisionOf(
  db: Database,
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
    .select((from) =>
      from
        .selectFrom('perturb_revisions as all')
        .select(({ fn }) => fn.max('all.revision').as('last'))
        .whereRef('all.objective_id', '=', 'o.id')
        .as('last'),
    )
    .where((where) => ('name' in key ? where('o.name', '=', key.name) : where('o.id', '=', key.id)))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isBeyond = revision !== undefined && (revision < 1 || revision > row.revisions);
  if (row.id === null && isBeyond) return undefined;
  return { ...row, revision: row.revision ?? revision ?? row.revisions } as RevisionRow;
}
