/** The list of a pair that weights go to. */
export type Direction = 'to a' | 'to b';

/** One for each event of a list. Doubles are in a Float64Array. */
export interface Weights<T> {
  readonly length: number;
  [position: number]: T;
  findIndex(test: (weight: T, position: number) => boolean): number;
}

/** A combination of the weights that an event receives, in any order. */
export interface Monoid<T> {
  /** The neutral element. */
  readonly zero: T;
  readonly add: (a: T, b: T) => T;
  /** A list of zeros. */
  readonly list: (size: number) => Weights<T>;
}

/** Numbers of bindings. */
export interface Counting<T> extends Monoid<T> {
  readonly one: T;
  readonly multiply: (a: T, b: T) => T;
  readonly subtract: (sum: T, part: T) => T;
  /** Receives all counts. */
  readonly recordPeak: (counts: Weights<T>) => void;
}

const doubles = (size: number) => new Float64Array(size);

/** Counts as doubles: exact if the peak, the largest number seen, is below 2^53. */
export class Doubles implements Counting<number> {
  peak = 0;
  readonly zero = 0;
  readonly one = 1;
  readonly list = doubles;
  readonly add = (a: number, b: number): number => a + b;
  readonly multiply = (a: number, b: number): number => a * b;
  readonly subtract = (sum: number, part: number): number => sum - part;

  readonly recordPeak = (counts: Weights<number>): void => {
    let peak = this.peak;
    for (let position = 0; position < counts.length; position++) {
      const count = counts[position] as number;
      if (count > peak) peak = count;
    }
    this.peak = peak;
  };
}

/** Counts as bigints, without a limit. */
export const BIGINTS: Counting<bigint> = {
  zero: 0n,
  one: 1n,
  list: (size) => new Array<bigint>(size).fill(0n),
  add: (a, b) => a + b,
  multiply: (a, b) => a * b,
  subtract: (sum, part) => sum - part,
  recordPeak: () => undefined,
};

/** The maximum of positive numbers. */
export const LARGEST: Monoid<number> = {
  zero: 0,
  list: doubles,
  add: (a, b) => (a > b ? a : b),
};
