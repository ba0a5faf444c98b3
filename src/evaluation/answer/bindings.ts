import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { buildQuery } from '../query/build-query.js';
import { BUDGET } from './evaluate.js';
import { listBindings } from './listing.js';
import { matchLabels } from './matching.js';
import type { Binding } from './result.js';

export interface BindingsOptions {
  /** As for `evaluate`. */
  readonly budget?: number;
}

/**
 * The first bindings of an expression; what AGGREGATE says of them plays no part.
 *
 * @param limit how many at most
 * @returns undefined where the budget is spent before they are known
 * @throws {RangeError} for a label or a function that does not exist
 */
export function bindings(
  session: Session,
  expression: Expression,
  limit: number,
  options: BindingsOptions = {},
): Binding[] | undefined {
  const query = buildQuery(expression);
  const budget = options.budget ?? BUDGET;
  const { problem } = matchLabels(session, query, { budget });
  const listing = listBindings(problem, limit, budget);
  return listing.isComplete ? listing.bindings : undefined;
}
