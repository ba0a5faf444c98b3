import { boundaryValues, drawValue, valueAt } from './dimension.js';
import { evenSubset, type Member, randomFor, randomSubset } from './random.js';
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
  return (n) => {
    const random = randomFor(seed, 'boundary', n);
    return evenSubset(space.mutators.length, space.most, seed, n).map(({ mutator }) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((_, at) =>
        random.pick(values[mutator]?.[at] ?? []),
      ),
    }));
  };
};

/**
 * A low-discrepancy sequence over all parameters: a value comes close to every other one after a
 * number of sets that chance would need many times over. Each dimension has a prime as its base.
 * Halton (1960); the digits are permuted by the seed, since plain sequences in large bases run
 * along diagonals for their first hundreds of points.
 */
export const halton: Strategy = (space, seed) => {
  const sequences = space.mutators.map(({ dimensions }, mutator) =>
    primes(dimensions.length).map((base, at) => scrambled(base, seed, `${mutator}:${at}`)),
  );
  return (n) =>
    evenSubset(space.mutators.length, space.most, seed, n).map((member) => {
      const index = indexOf(seed, member);
      const { mutator } = member;
      return {
        mutator,
        values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, at) =>
          valueAt(dimension, sequences[mutator]?.[at]?.(index) ?? 0),
        ),
      };
    });
};

/** Places in a set have stretches of the sequence to themselves, so that no point comes twice soon. */
function indexOf(seed: bigint, { place, turn }: Member): number {
  return turn + randomFor(seed, 'stretch', place).upTo(2 ** 31 - 1);
}

/** Further digits would add less than a double can represent. */
const SMALLEST = 2 ** -53;

/** The points of one dimension, from 0 to below 1, by their index. */
function scrambled(base: number, seed: bigint, name: string): (index: number) => number {
  const digits = Array.from({ length: base }, (_, digit) => digit);
  const permutations: (readonly number[])[] = [];
  for (let size = 1; size > SMALLEST; size /= base) {
    permutations.push(randomFor(seed, 'halton', name, permutations.length).shuffle(digits));
  }
  return (index) => {
    let rest = index;
    let size = 1;
    let point = 0;
    for (const permutation of permutations) {
      size /= base;
      point += (permutation[rest % base] ?? 0) * size;
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
