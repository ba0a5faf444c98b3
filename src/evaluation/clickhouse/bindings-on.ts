import type { Expression } from '../../expression/index.js';
import type { Binding } from '../answer/result.js';
import { buildQuery } from '../query/build-query.js';
import { joinable } from './bindings-sql.js';
import { type Database, LimitReached } from './database.js';
import { firstBindings } from './evidence.js';
import { scaleOf, selectLabels, TooWide, type Work } from './label-tables.js';
import { reduce } from './reduce.js';
import { randomToken, withScratch } from './scratch.js';

/**
 * Bindings of an expression over a session that the server has, those that it finds first; what
 * AGGREGATE says of them plays no part.
 *
 * @param limit how many at most
 * @returns undefined where a limit of the server is met, or numbers are too far apart for it
 * @throws {RangeError} for a label or a function that does not exist
 */
export async function bindingsOn(
  db: Database,
  session: string,
  expression: Expression,
  limit: number,
): Promise<readonly Binding[] | undefined> {
  const { measures: _, ...query } = buildQuery(expression);
  try {
    return await withScratch(db, randomToken(), async (scratch) => {
      const scale = await scaleOf(db, session, query);
      const work: Work = { db, session, query, scratch, ...(scale !== undefined && { scale }) };
      const tables = await reduce(work, await selectLabels(work));
      return firstBindings(work, await joinable(work, tables), limit);
    });
  } catch (error) {
    if (error instanceof TooWide || error instanceof LimitReached) return undefined;
    throw error;
  }
}
