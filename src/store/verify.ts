import type { Kysely } from 'kysely';
import { isTime, problemsOf, revisionOf } from './revisions.js';
import type { Driver, ObjectivesTable, StoreDatabase } from './session.js';
import type { Damage, Verification, VerifyOptions } from './store.js';

/**
 * Checks a store with one revision in memory at a time. Runs the database's own checks, looks for
 * missing revisions and for revisions without an objective, and compares each revision with its
 * digests. Unreadable data counts as damage.
 */
export async function verify(
  db: StoreDatabase,
  driver: Driver,
  { begin = () => undefined, step = () => undefined }: VerifyOptions,
): Promise<Verification> {
  const problems = [...(await driver.check(db as Kysely<unknown>))];
  const objectives = await db
    .selectFrom('perturb_objectives')
    .select(['id', 'name', 'revision', 'created_at'])
    .orderBy('id')
    .execute();
  const revisionRows = await db
    .selectFrom('perturb_revisions')
    .select(['id', 'objective_id', 'revision'])
    .orderBy('revision')
    .execute();
  begin(revisionRows.length);
  const byObjective = new Map<string, { id: string; revision: number }[]>();
  for (const row of revisionRows) {
    const revisions = byObjective.get(row.objective_id);
    if (revisions === undefined) byObjective.set(row.objective_id, [row]);
    else revisions.push(row);
  }
  const damaged: Damage[] = [];
  let ownedCount = 0;
  for (const objective of objectives) {
    const { id, revision: newest } = objective;
    const ownRevisions = byObjective.get(id) ?? [];
    ownedCount += ownRevisions.length;
    const name = typeof objective.name === 'string' ? objective.name : '(unreadable)';
    const ownProblems = objectiveProblems(objective);
    if (ownProblems.length > 0) damaged.push({ name, problems: ownProblems });
    damaged.push(...findGaps(name, newest, new Set(ownRevisions.map(({ revision }) => revision))));
    for (const { revision } of ownRevisions) {
      step();
      if (!Number.isSafeInteger(revision)) {
        damaged.push({ name, problems: ['one of its revision numbers is unreadable'] });
        continue;
      }
      const damage = await problemsAt(db, driver, id, revision);
      if (damage.length > 0) damaged.push({ name, revision, problems: damage });
    }
  }
  const ownerlessCount = revisionRows.length - ownedCount;
  if (ownerlessCount > 0) problems.push(`revisions without an objective: ${ownerlessCount}`);
  return { objectives: objectives.length, revisions: revisionRows.length, damaged, problems };
}

/** Returns the problems with an objective's row. */
function objectiveProblems({
  id,
  name,
  created_at,
}: Omit<ObjectivesTable, 'revision' | 'deleted_at'>): readonly string[] {
  return [
    ...(typeof id === 'string' ? [] : ['its id is unreadable']),
    ...(typeof name === 'string' ? [] : ['its name is unreadable']),
    ...(isTime(created_at) ? [] : ['its creation time is unreadable']),
  ];
}

/** Returns an objective's missing revisions, as damage. Expects every number from 1 to `newest`. */
function findGaps(
  name: string,
  newest: number,
  revisionNumbers: ReadonlySet<number>,
): readonly Damage[] {
  if (!Number.isSafeInteger(newest)) {
    return [{ name, problems: ['its newest revision number is unreadable'] }];
  }
  if (newest > revisionNumbers.size + MAX_GAPS) {
    const problem = `its newest revision number is ${newest}, but its number of revisions is ${revisionNumbers.size}`;
    return [{ name, problems: [problem] }];
  }
  return Array.from({ length: newest }, (_, index) => index + 1)
    .filter((revision) => !revisionNumbers.has(revision))
    .map((revision) => ({ name, revision, problems: ['it is missing'] }));
}

/**
 * Maximum number of missing revisions to list individually. A damaged revision number may be huge.
 */
const MAX_GAPS = 1_000;

async function problemsAt(
  db: StoreDatabase,
  driver: Driver,
  id: string,
  revision: number,
): Promise<readonly string[]> {
  try {
    const row = await revisionOf(db, { id }, revision);
    return row === undefined ? ['it is missing'] : problemsOf(row);
  } catch (error) {
    if (driver.explain(error)?.code !== 'corrupt') throw error;
    return ['it cannot be read'];
  }
}
