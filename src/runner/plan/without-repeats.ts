import { keyOf, type MutationSet, type Strategy } from './space.js';

/** After so many repeated sets in a row, a strategy counts as having no others. */
const MOST_REPEATED = 32;

/** The sets of a strategy that are new. */
export interface NewSets {
  /** Undefined once the strategy has nothing new. */
  set(n: number): MutationSet | undefined;
  /** How many of the first `n` there are. */
  countUpTo(n: number): number;
}

/**
 * The sets of a strategy, each once, and none of those that are known: what was tried already would
 * teach nothing new.
 */
export function withoutRepeats(
  strategy: ReturnType<Strategy>,
  known: readonly MutationSet[],
): NewSets {
  const seen = new Set(known.map(keyOf));
  const sets: MutationSet[] = [];
  let drawn = 0;
  let repeated = 0;
  const makeUpTo = (count: number): void => {
    while (sets.length < count && repeated < MOST_REPEATED) {
      const set = strategy(drawn);
      drawn += 1;
      const key = keyOf(set);
      repeated = seen.has(key) ? repeated + 1 : 0;
      if (repeated === 0) sets.push(set);
      seen.add(key);
    }
  };
  return {
    set(n) {
      makeUpTo(n + 1);
      return sets[n];
    },
    countUpTo(n) {
      makeUpTo(n);
      return Math.min(n, sets.length);
    },
  };
}
