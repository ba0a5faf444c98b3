import { type CoveringArray, coveringArray } from './covering-array.js';
import type { Row } from './level-pairs.js';
import { randomFor } from './random.js';
import { type Representatives, representativesOf } from './representatives.js';
import type { MutationSet, Space, Strategy } from './space.js';

/** Of more mutators than these, an array takes some, and the next array others. */
const MOST_MUTATORS = 200;

/**
 * Covering arrays, one after the other: each pair of (parameter, representative value) occurs early,
 * whether both are of one mutator or, where sets may have several, of two.
 */
export const pairwise: Strategy = (space, seed) => {
  const arrays = [setArray(space, seed, 0, true)];
  /** The first set of each array. */
  const starts = [0];
  return (n) => {
    for (;;) {
      const last = arrays.length - 1;
      const start = starts[last] as number;
      const array = n >= start ? (arrays[last] as SetArray) : undefined;
      const set = array?.set(n - start);
      if (set !== undefined) return set;
      if (array === undefined) {
        const at = starts.findLastIndex((one) => one <= n);
        return (arrays[at] as SetArray).set(n - (starts[at] as number)) as MutationSet;
      }
      starts.push(start + array.size());
      arrays.push(setArray(space, seed, arrays.length, true));
    }
  };
};

/** A covering array as sets of mutations. */
export interface SetArray {
  /** The set, or undefined behind the last one. */
  set(n: number): MutationSet | undefined;
  /** How many there are; makes them all. */
  size(): number;
}

/** An array of extreme values alone: it is short, and leaves what is between to others. */
export function extremesArray(space: Space, seed: bigint): SetArray {
  return setArray(space, seed, 0, false);
}

function setArray(space: Space, seed: bigint, cycle: number, between: boolean): SetArray {
  const random = randomFor(seed, 'representatives', cycle);
  const all = space.mutators.map((_, mutator) => mutator);
  const taken = all.length <= MOST_MUTATORS ? all : random.shuffle(all).slice(0, MOST_MUTATORS);
  const levels: readonly (readonly Representatives[])[] = taken.map((mutator) =>
    (space.mutators[mutator]?.dimensions ?? []).map((one) =>
      representativesOf(one, random, between),
    ),
  );
  const array = coveringArray(
    levels.map((group) => group.map(({ count }) => count)),
    Math.min(space.most, taken.length),
    seed,
    cycle,
  );
  const ofGroup = (group: number, at: number) => levels[group]?.[at] as Representatives;
  return {
    set(n) {
      const row = array.row(n);
      if (row === undefined) return undefined;
      const draw = randomFor(seed, 'inside', cycle, n);
      return row.map(({ group, levels: chosen }) => ({
        mutator: taken[group] as number,
        values: chosen.map((level, at) => ofGroup(group, at).value(level, draw)),
      }));
    },
    size: () => sizeOf(array),
  };
}

function sizeOf(array: CoveringArray): number {
  let size = 0;
  for (let row: Row | undefined = array.row(0); row !== undefined; row = array.row(size)) size += 1;
  return size;
}
