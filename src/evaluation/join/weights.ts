/** The list of a pair that receives the weights. */
export type Direction = 'to a' | 'to b';

/** One weight for each event of a list. Doubles are in a Float64Array. */
export interface Weights<T> {
  readonly length: number;
  [position: number]: T;
  findIndex(test: (weight: T, position: number) => boolean): number;
}

/** A commutative monoid, which combines the weights that an event receives. */
export interface Monoid<T> {
  /** The neutral element. */
  readonly zero: T;
  readonly add: (a: T, b: T) => T;
  /** Creates a list of zeros. */
  readonly list: (size: number) => Weights<T>;
}

/** Arithmetic for counting bindings. */
export interface Counting<T> extends Monoid<T> {
  readonly one: T;
  readonly multiply: (a: T, b: T) => T;
  readonly subtract: (sum: T, part: T) => T;
  /** Receives all intermediate counts. */
  readonly recordPeak: (counts: Weights<T>) => void;
}

const doubles = (size: number) => new Float64Array(size);

/** Counting in doubles. Exact if `peak`, the largest count seen, is below 2^53. */
export class DoubleCounting implements Counting<number> {
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

/** Counting in bigints, without a limit. */
export const BIGINTS: Counting<bigint> = {
  zero: 0n,
  one: 1n,
  list: (size) => new Array<bigint>(size).fill(0n),
  add: (a, b) => a + b,
  multiply: (a, b) => a * b,
  subtract: (sum, part) => sum - part,
  recordPeak: () => undefined,
};

/** The maximum of nonnegative numbers, as a monoid. */
export const MAXIMUM: Monoid<number> = {
  zero: 0,
  list: doubles,
  add: (a, b) => (a > b ? a : b),
};
