/**
 * Random choices from a seed: a property that draws hundreds of them a case
 * runs many times faster so than with an arbitrary for each, and its seed
 * still repeats the case.
 */
export interface Dice {
  /** A whole number from 0 to `most`. */
  upTo(most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Up to `longest` of the given pieces, joined. */
  text(longest: number, pieces: readonly string[]): string;
}

/** Dice that always roll the same for the same seed (the generator is mulberry32). */
export function roll(seed: number): Dice {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (most: number): number => Math.floor(next() * (most + 1));
  const pick = <T>(choices: readonly T[]): T => {
    if (choices.length === 0) throw new RangeError('nothing to pick from');
    return choices[upTo(choices.length - 1)] as T;
  };
  return {
    upTo,
    pick,
    text: (longest, pieces) => Array.from({ length: upTo(longest) }, () => pick(pieces)).join(''),
  };
}
