import type { AttributeValue } from '../../values/index.js';
import { coveringArray } from './covering-array.js';
import {
  type Dimension,
  extremeValues,
  nthValue,
  permits,
  valueAt,
  valueCount,
} from './dimension.js';
import { type Random, randomFor } from './random.js';
import type { MutationSet, Space, Strategy } from './space.js';

/** Values of a parameter that stand for the others. */
interface Representatives {
  /** The number of levels. */
  readonly count: number;
  /** The value of a level. One that stands for all between the bounds is drawn anew each time. */
  value(level: number, random: Random): AttributeValue;
}

/** Of more options than these, some stand for the others. */
const MOST_OPTIONS = 16;

/** Of so few whole numbers each stands for itself. */
const FEW = 6n;

/**
 * The levels of a parameter: each option of a choice, each of a few whole numbers, else the lowest,
 * highest, least effect, zero, and, if asked for, one for all between.
 */
function representativesOf(
  dimension: Dimension,
  random: Random,
  between: boolean,
): Representatives {
  const listed = listOf(dimension, random);
  if (listed !== undefined) {
    return { count: listed.length, value: (level) => listed[level] as AttributeValue };
  }
  const extremes = extremeValues(dimension);
  return {
    count: extremes.length + (between ? 1 : 0),
    value: (level, draw) => extremes[level] ?? inner(dimension, draw),
  };
}

function listOf(dimension: Dimension, random: Random): readonly AttributeValue[] | undefined {
  if (dimension.kind === 'choice') {
    return dimension.values.length <= MOST_OPTIONS
      ? dimension.values
      : random.shuffle(dimension.values).slice(0, MOST_OPTIONS);
  }
  const count = valueCount(dimension);
  if (count === undefined || count > FEW) return undefined;
  return Array.from({ length: Number(count) }, (_, n) => nthValue(dimension, BigInt(n)));
}

function inner(dimension: Dimension, random: Random): AttributeValue {
  const value = valueAt(dimension, random.unit());
  return permits(dimension, value) ? value : (extremeValues(dimension)[0] as AttributeValue);
}

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
      if (n < start) {
        const at = starts.findLastIndex((one) => one <= n);
        return (arrays[at] as SetArray)(n - (starts[at] as number)) as MutationSet;
      }
      const array = arrays[last] as SetArray;
      const set = array(n - start);
      if (set !== undefined) return set;
      starts.push(start + setsUpTo(Number.POSITIVE_INFINITY, array).length);
      arrays.push(setArray(space, seed, arrays.length, true));
    }
  };
};

/** A covering array as sets of mutations: gives a set by its number, or undefined behind the last one. */
type SetArray = (n: number) => MutationSet | undefined;

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
  return (n) => {
    const row = array(n);
    if (row === undefined) return undefined;
    const draw = randomFor(seed, 'inside', cycle, n);
    return row.map(({ group, levels: chosen }) => ({
      mutator: taken[group] as number,
      values: chosen.map((level, at) => ofGroup(group, at).value(level, draw)),
    }));
  };
}

/** The first sets, as many as there are. */
export function setsUpTo(most: number, set: SetArray): MutationSet[] {
  const sets: MutationSet[] = [];
  for (let next = set(0); next !== undefined && sets.length < most; next = set(sets.length)) {
    sets.push(next);
  }
  return sets;
}
