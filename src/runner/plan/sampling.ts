import { boundaryValues, drawValue, valueAt, valueCount } from './dimension.js';
import { evenSubsets, randomFor, randomSubset } from './random.js';
import type { SpaceMutator, Strategy } from './space.js';

/** Independent draws: a random size, random mutators, and each value drawn evenly. */
export const uniform: Strategy = (space, seed) => (n) => {
  const random = randomFor(seed, 'uniform', n);
  return randomSubset(space.mutators.length, space.most, random).map((mutator) => ({
    mutator,
    values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension) =>
      drawValue(dimension, random),
    ),
  }));
};

/** The values at which systems fail most often, in random combinations. */
export const boundary: Strategy = (space, seed) => {
  const values = space.mutators.map(({ dimensions }) => dimensions.map(boundaryValues));
  const subset = evenSubsets(space.mutators.length, space.most, seed, 'boundary sets');
  return (n) => {
    const random = randomFor(seed, 'boundary', n);
    return subset(n).map(({ mutator }) => ({
      mutator,
      values: (values[mutator] ?? []).map((one) => random.pick(one)),
    }));
  };
};

/**
 * A low-discrepancy sequence over all parameters: a value comes close to every other one after a
 * number of sets that chance would need many times over. Each dimension of the space has a prime of its
 * own as its base, so that no two move together, whether they are of one mutator or of two. A mutator
 * takes the next point whenever it comes up. Halton (1960); the digits are permuted by the seed, since
 * plain sequences in large bases run along diagonals for their first hundreds of points.
 */
export const halton: Strategy = (space, seed) => {
  const all = space.mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, at) => ({ dimension, name: `${mutator}:${at}` })),
  );
  const moving = all.filter(({ dimension }) => valueCount(dimension) !== 1n);
  const bases = primes(Math.min(moving.length, MOST_BASES));
  const sequences = new Map(
    moving.map(({ name }, at) => [name, scrambled(baseAt(bases, at), seed, name)] as const),
  );
  const subset = evenSubsets(space.mutators.length, space.most, seed, 'halton sets');
  return (n) =>
    subset(n).map(({ mutator, turn }) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, at) =>
        valueAt(dimension, sequences.get(`${mutator}:${at}`)?.(turn) ?? 0),
      ),
    }));
};

/** Of more dimensions than these, some share a large prime: they meet in more ways than a run has sets. */
const MOST_BASES = 256;

function baseAt(bases: readonly number[], at: number): number {
  const half = MOST_BASES / 2;
  return bases[at < MOST_BASES ? at : half + (at % half)] as number;
}

/** Further digits would add less than a double can represent. */
const SMALLEST = 2 ** -53;

/** The points of one dimension, from 0 to below 1, by their index. */
function scrambled(base: number, seed: bigint, name: string): (index: number) => number {
  const digits = Array.from({ length: base }, (_, digit) => digit);
  const permutations: (readonly number[])[] = [];
  return (index) => {
    let rest = index;
    let size = 1;
    let point = 0;
    for (let place = 0; size > SMALLEST; place += 1) {
      permutations[place] ??= randomFor(seed, 'halton', name, place).shuffle(digits);
      size /= base;
      point += (permutations[place]?.[rest % base] ?? 0) * size;
      rest = Math.floor(rest / base);
    }
    return Math.min(point, 1 - SMALLEST);
  };
}

/** The first primes. */
function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}
