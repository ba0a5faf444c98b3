import { boundary } from './boundary.js';
import { halton } from './halton.js';
import { extremesArray } from './pairwise.js';
import type { Strategy } from './space.js';
import { uniform } from './uniform.js';

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
  let size: number | undefined;
  const sizeOfPairs = (): number => {
    size ??= countUpTo(MOST_PAIRS, (n) => pairs.set(n) !== undefined);
    return size;
  };
  return (n) => {
    if (n >= LAST) return byChance(n);
    if (n < sizeOfPairs()) return pairs.set(n) ?? byChance(n);
    const turn = n - sizeOfPairs();
    const bounds = boundsBefore(turn);
    return bounds < boundsBefore(turn + 1) ? atBounds(bounds) : spread(turn - bounds);
  };
};

/** How many of the first turns go to bounds. */
function boundsBefore(turn: number): number {
  const early = Math.min(turn, EARLY);
  return Math.ceil(early / 2) + Math.floor((turn - early) / RARELY);
}

function countUpTo(most: number, is: (n: number) => boolean): number {
  let count = 0;
  while (count < most && is(count)) count += 1;
  return count;
}
