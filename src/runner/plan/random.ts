import { createHash } from 'node:crypto';
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** A random number generator, deterministic for a seed and a purpose. */
export type Random = ReturnType<typeof randomFor>;

/**
 * Returns the random number generator for a seed and a purpose. The initial state is a hash of both. Otherwise, small
 * seeds would have nearly identical first draws, and different purposes would share draws.
 *
 * @param purpose identifies the draws, for example by an attempt's number
 */
export function randomFor(seed: bigint, ...purpose: readonly (string | number)[]) {
  const digest = createHash('sha256').update(JSON.stringify([String(seed), ...purpose]));
  const bytes = digest.digest();
  const generator = xoroshiro128plusFromState(
    [0, 4, 8, 12].map((offset) => bytes.readInt32LE(offset)),
  );
  const upTo = (max: number): number => uniformInt(generator, 0, max);
  return {
    /** Returns an integer from 0 to the maximum, inclusive. */
    upTo,
    /** Returns an integer between two bounds, inclusive. */
    between: (lower: bigint, upper: bigint) => uniformBigInt(generator, lower, upper),
    /** Returns a number that is at least 0 and below 1. */
    unit: () => uniformFloat64(generator),
    pick<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new RangeError('nothing to pick from');
      return choices[upTo(choices.length - 1)] as T;
    },
    /** Returns the same items in a random order. */
    shuffle<T>(items: readonly T[]): T[] {
      const shuffledItems = [...items];
      for (let last = shuffledItems.length - 1; last > 0; last -= 1) {
        const otherIndex = upTo(last);
        [shuffledItems[last], shuffledItems[otherIndex]] = [
          shuffledItems[otherIndex] as T,
          shuffledItems[last] as T,
        ];
      }
      return shuffledItems;
    },
  };
}

/** Returns the mutators of a random set. All sizes are equally likely. */
export function drawSubset(count: number, maxSize: number, random: Random): readonly number[] {
  const size = 1 + random.upTo(maxSize - 1);
  const mutators = Array.from({ length: count }, (_, mutator) => mutator);
  return random.shuffle(mutators).slice(0, size);
}

/** A mutator in a set, and the number of earlier sets with the same mutator. */
export interface Member {
  readonly mutator: number;
  readonly turn: number;
}

/**
 * Returns a function that returns a set's mutators by the set's index. All mutators, and all pairs of mutators, are
 * equally frequent. A block has as many sets as there are mutators. In each block, each mutator leads one set, and
 * sizes rotate from 1 to `maxSize`. Each set is filled with the mutators that have shared the fewest sets with the
 * set's members.
 */
export function createEvenSubsets(
  count: number,
  maxSize: number,
  seed: bigint,
  purpose: string,
): (n: number) => readonly Member[] {
  const sets: (readonly Member[])[] = [];
  const turns = new Uint32Array(count);
  /** For each mutator, the number of sets shared with each other mutator. */
  const encounters = new Map<number, Uint32Array>();
  const encountersOf = (mutator: number): Uint32Array => {
    const row = encounters.get(mutator) ?? new Uint32Array(count);
    encounters.set(mutator, row);
    return row;
  };
  let order: readonly number[] = [];
  const next = (): readonly number[] => {
    const [block, lead] = [Math.floor(sets.length / count), sets.length % count];
    if (lead === 0) {
      const mutators = Array.from({ length: count }, (_, mutator) => mutator);
      order = randomFor(seed, purpose, block).shuffle(mutators);
    }
    const size = 1 + ((lead + block) % maxSize);
    const candidates = [...order.slice(lead), ...order.slice(0, lead)];
    const members = candidates.splice(0, 1);
    const sums = new Float64Array(count);
    for (let newestMember = members[0]; members.length < size; newestMember = members.at(-1)) {
      const row = encountersOf(newestMember as number);
      for (const mutator of candidates) sums[mutator] = (sums[mutator] ?? 0) + (row[mutator] ?? 0);
      const leastSum = Math.min(...candidates.map((mutator) => sums[mutator] ?? 0));
      const index = candidates.findIndex((mutator) => sums[mutator] === leastSum);
      members.push(...candidates.splice(index, 1));
    }
    for (const member of members) {
      for (const partner of members) {
        if (member !== partner)
          encountersOf(member)[partner] = (encountersOf(member)[partner] ?? 0) + 1;
      }
    }
    return members;
  };
  return (n) => {
    while (sets.length <= n) {
      const members = next().map((mutator) => ({ mutator, turn: turns[mutator] ?? 0 }));
      for (const { mutator, turn } of members) turns[mutator] = turn + 1;
      sets.push(members);
    }
    return sets[n] as readonly Member[];
  };
}
