import type { Problem } from '../methods/problem.js';
import { listBindings } from './listing.js';
import { restrict } from './matching.js';
import type { Evidence } from './result.js';

/** Events of some labels that have the extreme of an aggregate. */
export interface ExtremeBinding {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly events: ReadonlyMap<number, number>;
}

/** What part of the budget a search for evidence may take, and what it may take of any. */
const SEARCH_PART = 0.1;
const LEAST_TRIED = 100_000;

/**
 * Bindings that show the result: for each extreme one that has it; without extremes the first
 * ones. Those that are not found soon are left out.
 *
 * @param limit how many of the first ones
 */
export function findEvidence(
  problem: Problem,
  extremes: readonly ExtremeBinding[],
  limit: number,
): Evidence[] {
  const most = Math.max(LEAST_TRIED, problem.limits.budget * SEARCH_PART);
  if (extremes.length === 0) {
    const { bindings } = listBindings(problem, limit, most);
    return bindings.map((binding) => ({ why: 'first', binding }));
  }
  return extremes.flatMap(({ why, of, events }) => {
    const only = new Map([...events].map(([label, event]) => [label, Int32Array.of(event)]));
    const { bindings } = listBindings(restrict(problem, only), 1, most);
    return bindings.map((binding) => ({ why, of, binding }));
  });
}
