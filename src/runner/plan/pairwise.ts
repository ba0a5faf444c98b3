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

/** Maximum number of options before some represent the others. */
const MOST_OPTIONS = 16;

/** Up to this many whole numbers, each represents itself. */
const FEW = 6n;

/**
 * Returns the levels of a parameter, values that represent the others: each option of a choice, each of a few whole
 * numbers; else the lowest, highest, least effect, zero and, if requested, one for all in between, which is
 * undefined here: it is drawn anew each time.
 */
function levelsOf(
  dimension: Dimension,
  random: Random,
  between: boolean,
): readonly (AttributeValue | undefined)[] {
  if (dimension.kind === 'choice') {
    return dimension.values.length <= MOST_OPTIONS
      ? dimension.values
      : random.shuffle(dimension.values).slice(0, MOST_OPTIONS);
  }
  const count = valueCount(dimension);
  if (count !== undefined && count <= FEW) {
    return Array.from({ length: Number(count) }, (_, n) => nthValue(dimension, BigInt(n)));
  }
  return [...extremeValues(dimension), ...(between ? [undefined] : [])];
}

function inner(dimension: Dimension, random: Random): AttributeValue {
  const value = valueAt(dimension, random.unit());
  return permits(dimension, value) ? value : (extremeValues(dimension)[0] as AttributeValue);
}

/** Maximum number of mutators in an array; the next array has others. */
const MOST_MUTATORS = 200;

/**
 * Covering arrays, one after another: each pair of (parameter, representative value) occurs early, whether both
 * belong to one mutator or, where sets may have several, to two.
 */
export const pairwise: Strategy = (space, seed) => {
  const sets: MutationSet[] = [];
  /** The number of the current array, and that of its first set. */
  let [cycle, start] = [0, 0];
  let array = setArray(space, seed, cycle, true);
  return (n) => {
    while (sets.length <= n) {
      const set = array(sets.length - start);
      if (set !== undefined) sets.push(set);
      else {
        [cycle, start] = [cycle + 1, sets.length];
        array = setArray(space, seed, cycle, true);
      }
    }
    return sets[n] as MutationSet;
  };
};

/** A covering array as sets of mutations: returns a set by its number, or undefined after the last one. */
type SetArray = (n: number) => MutationSet | undefined;

/** Returns a short array of extreme values, without values in between. */
export function extremesArray(space: Space, seed: bigint): SetArray {
  return setArray(space, seed, 0, false);
}

function setArray(space: Space, seed: bigint, cycle: number, between: boolean): SetArray {
  const random = randomFor(seed, 'representatives', cycle);
  const all = space.mutators.map((_, mutator) => mutator);
  const taken = all.length <= MOST_MUTATORS ? all : random.shuffle(all).slice(0, MOST_MUTATORS);
  const parameters = taken.map((mutator) =>
    (space.mutators[mutator]?.dimensions ?? []).map((dimension) => ({
      dimension,
      levels: levelsOf(dimension, random, between),
    })),
  );
  const array = coveringArray(
    parameters.map((group) => group.map(({ levels }) => levels.length)),
    Math.min(space.most, taken.length),
    seed,
    cycle,
  );
  return (n) => {
    const row = array(n);
    if (row === undefined) return undefined;
    const draw = randomFor(seed, 'inside', cycle, n);
    return row.map(({ group, levels: chosen }) => ({
      mutator: taken[group] as number,
      values: (parameters[group] ?? []).map(
        ({ dimension, levels }, at) => levels[chosen[at] as number] ?? inner(dimension, draw),
      ),
    }));
  };
}

/** Returns the first `most` sets, or as many as there are. */
export function setsUpTo(most: number, set: SetArray): MutationSet[] {
  const sets: MutationSet[] = [];
  for (let next = set(0); next !== undefined && sets.length < most; next = set(sets.length)) {
    sets.push(next);
  }
  return sets;
}
