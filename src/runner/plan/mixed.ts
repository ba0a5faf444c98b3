import { boundary } from './boundary.js';
import { halton } from './halton.js';
import { extremesArray } from './pairwise.js';
import type { MutationSet, Strategy } from './space.js';
import { uniform } from './uniform.js';
import { type NewSets, withoutRepeats } from './without-repeats.js';

/** The covering array has so many sets at most: what pairs it has left, the others find too. */
const MOST_PAIRS = 48;
/** After the array, one set in two is of bounds for a while, and one in so many later. */
const EARLY = 8;
const RARELY = 16;
/** From here on sets are drawn by chance: a sequence has no more to give. */
const LAST = 2_048;

/** Pairs first, then bounds and a low-discrepancy sequence in turns, chance last. */
export const mixed: Strategy = (space, seed) => {
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
