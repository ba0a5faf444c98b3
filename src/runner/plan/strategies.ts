import { newSets, withoutRepeats } from './finite.js';
import { extremesArray, pairwise } from './pairwise.js';
import { boundary, halton, uniform } from './sampling.js';
import { keyOf, type MutationSet, type Strategy } from './space.js';

/**
 * Which sets the strategies make of a seed, and what shrinking asks: a new number whenever that changes.
 * An interrupted run goes on only with the one that it began with.
 */
export const PLANNER = 2;

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
  let later: { readonly start: number; readonly bounds: MutationSet[] } | undefined;
  const behindPairs = () => {
    if (later === undefined) {
      const sets = setsUpTo(MOST_PAIRS, (n) => pairs.set(n));
      const fresh = newSets(atBounds, new Set(sets.map(keyOf)));
      const most = boundsBefore(LAST - sets.length);
      later = { start: sets.length, bounds: setsUpTo(most, () => fresh.next().value) };
    }
    return later;
  };
  return (n) => {
    if (n >= LAST) return byChance(n);
    const set = n < MOST_PAIRS ? pairs.set(n) : undefined;
    if (set !== undefined) return set;
    const { start, bounds } = behindPairs();
    const turn = n - start;
    const made = boundsBefore(turn);
    const isOfBounds = made < boundsBefore(turn + 1);
    return (isOfBounds ? bounds[made] : undefined) ?? spread(turn - Math.min(made, bounds.length));
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
  mixed: withoutRepeats(mixed),
  uniform: withoutRepeats(uniform),
  boundary: withoutRepeats(boundary),
  pairwise: withoutRepeats(pairwise),
  halton: withoutRepeats(halton),
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof strategies;

export const STRATEGY_NAMES = Object.keys(strategies) as readonly StrategyName[];
