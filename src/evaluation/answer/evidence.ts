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

/**
 * Bindings that show the result: for each extreme one that has it; without extremes the first
 * ones.
 *
 * @param limit how many of the first ones
 */
export function findEvidence(
  problem: Problem,
  extremes: readonly ExtremeBinding[],
  limit: number,
): Evidence[] {
  if (extremes.length === 0) {
    return listBindings(problem, limit).map((binding) => ({ why: 'first', binding }));
  }
  return extremes.flatMap(({ why, of, events }) => {
    const only = new Map([...events].map(([label, event]) => [label, Int32Array.of(event)]));
    return listBindings(restrict(problem, only), 1).map((binding) => ({ why, of, binding }));
  });
}
