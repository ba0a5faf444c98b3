import { extremesArray, pairwise } from './pairwise.js';
import { boundary, halton, uniform } from './sampling.js';
import { keyOf, type MutationSet, type Strategy } from './space.js';

/** After so many repeated sets in a row, a strategy counts as having no others. */
const MOST_REPEATED = 32;

/** The sets of a strategy that are new. */
interface NewSets {
  /** Undefined once the strategy has nothing new. */
  set(n: number): MutationSet | undefined;
  /** How many of the first `n` there are. */
  countUpTo(n: number): number;
}

/**
 * The sets of a strategy, each once, and none of those that are known: what was tried already would
 * teach nothing new.
 */
function withoutRepeats(strategy: ReturnType<Strategy>, known: readonly MutationSet[]): NewSets {
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

/** The covering array has so many sets at most: what pairs it has left, the others find too. */
const MOST_PAIRS = 48;
/** After the array, one set in two is of bounds for a while, and one in so many later. */
const EARLY = 8;
const RARELY = 16;
/** From here on sets are drawn by chance: a sequence has no more to give. */
const LAST = 2_048;

/** Pairs first, then bounds and a low-discrepancy sequence in turns, chance last. */
const mixed: Strategy = (space, seed) => {
  const pairs = extremesArray(space, seed);
  const [atBounds, spread, byChance] = [boundary, halton, uniform].map((strategy) =>
    strategy(space, seed),
  ) as [ReturnType<Strategy>, ReturnType<Strategy>, ReturnType<Strategy>];
  let later: { readonly start: number; readonly newAtBounds: NewSets } | undefined;
  const behindPairs = () => {
    if (later === undefined) {
      const sets = setsUpTo(MOST_PAIRS, (n) => pairs.set(n));
      later = { start: sets.length, newAtBounds: withoutRepeats(atBounds, sets) };
    }
    return later;
  };
  return (n) => {
    if (n >= LAST) return byChance(n);
    const set = n < MOST_PAIRS ? pairs.set(n) : undefined;
    if (set !== undefined) return set;
    const { start, newAtBounds } = behindPairs();
    const turn = n - start;
    const bounds = boundsBefore(turn);
    const isOfBounds = bounds < boundsBefore(turn + 1);
    return (
      (isOfBounds ? newAtBounds.set(bounds) : undefined) ??
      spread(turn - newAtBounds.countUpTo(bounds))
    );
  };
};

/** How many of the first turns go to bounds. */
function boundsBefore(turn: number): number {
  const early = Math.min(turn, EARLY);
  return Math.ceil(early / 2) + Math.floor((turn - early) / RARELY);
}

function setsUpTo(most: number, set: (n: number) => MutationSet | undefined): MutationSet[] {
  const sets: MutationSet[] = [];
  for (let next = set(0); next !== undefined && sets.length < most; next = set(sets.length)) {
    sets.push(next);
  }
  return sets;
}

/** Every strategy, the default one first. */
export const strategies = {
  mixed,
  uniform,
  boundary,
  pairwise,
  halton,
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof strategies;

export const STRATEGY_NAMES = Object.keys(strategies) as readonly StrategyName[];
