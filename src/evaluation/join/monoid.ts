/** How a message puts together what it receives, in any order; 0 stands for nothing. */
export interface Monoid {
  readonly add: (a: number, b: number) => number;
}

/** Numbers of bindings. */
export interface Counting extends Monoid {
  readonly multiply: (a: number, b: number) => number;
  readonly subtract: (sum: number, part: number) => number;
  /** Is shown all that was counted. */
  readonly see: (counts: Float64Array) => void;
}

/** As doubles: exact as long as the peak, the largest number that it has seen, is below 2^53. */
export class Doubles implements Counting {
  peak = 0;

  readonly add = (a: number, b: number): number => a + b;
  readonly multiply = (a: number, b: number): number => a * b;
  readonly subtract = (sum: number, part: number): number => sum - part;

  readonly see = (counts: Float64Array): void => {
    let peak = this.peak;
    for (let at = 0; at < counts.length; at++) {
      if ((counts[at] as number) > peak) peak = counts[at] as number;
    }
    this.peak = peak;
  };
}

/** Modulo a prime below 2^26, so that no product passes 2^53. */
export function residues(prime: number): Counting {
  return {
    add: (a, b) => (a + b >= prime ? a + b - prime : a + b),
    multiply: (a, b) => (a * b) % prime,
    subtract: (sum, part) => (sum < part ? sum - part + prime : sum - part),
    see: () => undefined,
  };
}

/** Sums of doubles. */
export const DOUBLES: Monoid = { add: (a, b) => a + b };

/** The largest of positive numbers. */
export const LARGEST: Monoid = { add: (a, b) => (a > b ? a : b) };
