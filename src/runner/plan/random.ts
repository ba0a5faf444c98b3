import { createHash } from 'node:crypto';
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Random choices that are the same for the same seed and purpose. */
export interface Random {
  /** A whole number from 0 to `most`. */
  upTo(most: number): number;
  /** A whole number between two, both included. */
  between(lower: bigint, upper: bigint): bigint;
  /** At least 0 and below 1. */
  unit(): number;
  pick<T>(choices: readonly T[]): T;
  /** The same items in a random order. */
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * The generator for a seed and a purpose. The generator's state is a hash of both: its first
 * draws from small seeds would be nearly alike, and two purposes must not share draws.
 *
 * @param purpose what the draws are for, such as the number of an attempt
 */
export function randomFor(seed: bigint, ...purpose: readonly (string | number)[]): Random {
  const digest = createHash('sha256').update(JSON.stringify([String(seed), ...purpose]));
  const bytes = digest.digest();
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => bytes.readInt32LE(at)));
  const upTo = (most: number): number => uniformInt(generator, 0, most);
  return {
    upTo,
    between: (lower, upper) => uniformBigInt(generator, lower, upper),
    unit: () => uniformFloat64(generator),
    pick(choices) {
      if (choices.length === 0) throw new RangeError('nothing to pick from');
      return choices[upTo(choices.length - 1)] as (typeof choices)[number];
    },
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = upTo(last);
        const moved = shuffled[last] as (typeof shuffled)[number];
        shuffled[last] = shuffled[other] as (typeof shuffled)[number];
        shuffled[other] = moved;
      }
      return shuffled;
    },
  };
}

/** A mutator of a set, and how often a strategy has had it in this place before. */
export interface Member {
  readonly mutator: number;
  /** Its place in the set. */
  readonly place: number;
  /** Grows by one from block to block. */
  readonly turn: number;
}

/** The mutators of a random set: each size is as likely as the others. */
export function randomSubset(count: number, most: number, random: Random): readonly number[] {
  const size = 1 + random.upTo(most - 1);
  const all = Array.from({ length: count }, (_, mutator) => mutator);
  return random.shuffle(all).slice(0, size);
}

/**
 * The mutators of set `n` so that all come up equally often: in each block of as many sets as there
 * are mutators, each mutator leads one set; sizes from 1 to `most` take turns.
 */
export function evenSubset(
  count: number,
  most: number,
  seed: bigint,
  n: number,
): readonly Member[] {
  const block = Math.floor(n / count);
  const lead = n % count;
  const all = Array.from({ length: count }, (_, mutator) => mutator);
  const order = randomFor(seed, 'block', block).shuffle(all);
  const size = 1 + ((lead + block) % most);
  return Array.from({ length: size }, (_, place) => ({
    mutator: order[(lead + place) % count] as number,
    place,
    turn: block,
  }));
}
