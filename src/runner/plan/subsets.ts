import { type Random, randomFor } from './random.js';

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
