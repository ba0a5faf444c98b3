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

/** Maximum number of levels of a choice. In a longer choice, drawn options represent all options. */
const MAX_OPTIONS = 16;

/** Maximum size of a whole-number range in which every number is a level. */
const MAX_DISTINCT = 6n;

/**
 * Returns a parameter's levels, which represent all of its values. A choice has each option as a level, and a small
 * range of whole numbers has each number. Any other range has the lowest and highest values, the value of least effect,
 * and zero.
 *
 * @param hasMiddle true to add the level undefined, which stands for a value drawn anew each time
 */
function levelsOf(
  dimension: Dimension,
  random: Random,
  hasMiddle: boolean,
): readonly (AttributeValue | undefined)[] {
  if (dimension.kind === 'choice') {
    return dimension.values.length <= MAX_OPTIONS
      ? dimension.values
      : random.shuffle(dimension.values).slice(0, MAX_OPTIONS);
  }
  const count = valueCount(dimension);
  if (count !== undefined && count <= MAX_DISTINCT) {
    return Array.from({ length: Number(count) }, (_, n) => nthValue(dimension, BigInt(n)));
  }
  return [...extremeValues(dimension), ...(hasMiddle ? [undefined] : [])];
}

function drawInner(dimension: Dimension, random: Random): AttributeValue {
  const value = valueAt(dimension, random.unit());
  return permits(dimension, value) ? value : (extremeValues(dimension)[0] as AttributeValue);
}

/** Maximum number of mutators in an array. In a larger space, each array draws its own mutators. */
const MAX_MUTATORS = 200;

/**
 * A strategy of successive covering arrays. Each pair of representative values of two parameters occurs early. The two
 * parameters may belong to different mutators if sets may have several mutators.
 */
export const pairwise: Strategy = (space, seed) => {
  const sets: MutationSet[] = [];
  /** The current array's index, and the index of that array's first set. */
  let [cycle, start] = [0, 0];
  let array = createSetArray(space, seed, cycle, true);
  return (n) => {
    while (sets.length <= n) {
      const set = array(sets.length - start);
      if (set !== undefined) sets.push(set);
      else {
        [cycle, start] = [cycle + 1, sets.length];
        array = createSetArray(space, seed, cycle, true);
      }
    }
    return sets[n] as MutationSet;
  };
};

/** A covering array of mutation sets. Returns a set by its index, or undefined after the last set. */
type SetArray = (n: number) => MutationSet | undefined;

/** Returns a short array of extreme values, without drawn values. */
export function createExtremesArray(space: Space, seed: bigint): SetArray {
  return createSetArray(space, seed, 0, false);
}

function createSetArray(space: Space, seed: bigint, cycle: number, hasMiddle: boolean): SetArray {
  const random = randomFor(seed, 'representatives', cycle);
  const allMutators = space.mutators.map((_, mutator) => mutator);
  const mutators =
    allMutators.length <= MAX_MUTATORS
      ? allMutators
      : random.shuffle(allMutators).slice(0, MAX_MUTATORS);
  const parameters = mutators.map((mutator) =>
    (space.mutators[mutator]?.dimensions ?? []).map((dimension) => ({
      dimension,
      levels: levelsOf(dimension, random, hasMiddle),
    })),
  );
  const array = coveringArray(
    parameters.map((group) => group.map(({ levels }) => levels.length)),
    Math.min(space.maxMutations, mutators.length),
    seed,
    cycle,
  );
  return (n) => {
    const row = array(n);
    if (row === undefined) return undefined;
    const rowRandom = randomFor(seed, 'inside', cycle, n);
    return row.map(({ group, levels: rowLevels }) => ({
      mutator: mutators[group] as number,
      values: (parameters[group] ?? []).map(
        ({ dimension, levels }, index) =>
          levels[rowLevels[index] as number] ?? drawInner(dimension, rowRandom),
      ),
    }));
  };
}

/** Returns the first `count` sets of an array, or all sets of a shorter array. */
export function takeSets(count: number, array: SetArray): MutationSet[] {
  const sets: MutationSet[] = [];
  for (let next = array(0); next !== undefined && sets.length < count; next = array(sets.length)) {
    sets.push(next);
  }
  return sets;
}
