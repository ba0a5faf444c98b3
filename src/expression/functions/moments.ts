import type { AggregateFunction } from './aggregate-function.js';

export const count: AggregateFunction = {
  name: 'count',
  aliases: [],
  argument: 'none',
  meaning: 'the number of bindings',
  nature: { least: 0n, integer: true },
  fewest: 0n,
  carries: { kind: 'bindings' },
};

export const mean: AggregateFunction = {
  name: 'mean',
  aliases: ['avg', 'average'],
  argument: 'attribute',
  meaning: 'the arithmetic mean; undefined without any value',
  fewest: 1n,
  carries: {
    kind: 'moments',
    squares: false,
    isRoot: false,
    result: ({ count, sum }) => ({ n: sum.n, d: sum.d * count }),
  },
};

export const sum: AggregateFunction = {
  name: 'sum',
  aliases: ['total'],
  argument: 'attribute',
  meaning: 'the sum; undefined without any value',
  fewest: 1n,
  carries: { kind: 'moments', squares: false, isRoot: false, result: ({ sum }) => sum },
};

export const stddev: AggregateFunction = {
  name: 'stddev',
  aliases: ['std'],
  argument: 'attribute',
  meaning: 'the sample standard deviation; undefined with fewer than two values',
  nature: { least: 0n },
  fewest: 2n,
  carries: {
    kind: 'moments',
    squares: true,
    isRoot: true,
    /** The variance of a sample: (squares - sum * sum / count) / (count - 1). */
    result({ count, sum, squares }) {
      const square = sum.d * sum.d;
      return {
        n: squares.n * count * square - sum.n * sum.n * squares.d,
        d: squares.d * square * count * (count - 1n),
      };
    },
  },
};
