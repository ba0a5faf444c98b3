import type { AttributeValue } from '../../values/index.js';
import { equals } from '../../values/index.js';
import { type Dimension, valueCount } from './dimension.js';
import type { MutationSet, Space } from './space.js';

/** How much of a space some sets cover. */
export interface Coverage {
  /** Cells of parameters: each option, or each tenth of a range. */
  readonly cells: Share;
  /** Pairs of cells of different parameters that may come together. */
  readonly pairs: Share;
}

export interface Share {
  readonly covered: number;
  readonly all: number;
}

/** A range is cut into so many cells. */
const CELLS = 10;

/** Counts the cells, and the pairs of cells, that sets have touched. */
export function coverageOf(space: Space, sets: Iterable<MutationSet>): Coverage {
  const parameters = space.mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, at) => ({ mutator, at, count: cellCount(dimension) })),
  );
  const number = new Map(parameters.map(({ mutator, at }, index) => [`${mutator}:${at}`, index]));
  const cells = new Set<string>();
  const pairs = new Set<string>();
  for (const set of sets) {
    const touched = set
      .flatMap(({ mutator, values }) =>
        values.map((value, at) => {
          const dimension = space.mutators[mutator]?.dimensions[at] as Dimension;
          return { at: number.get(`${mutator}:${at}`) as number, cell: cellOf(dimension, value) };
        }),
      )
      .sort((a, b) => a.at - b.at)
      .map(({ at, cell }) => `${at}:${cell}`);
    for (const [index, one] of touched.entries()) {
      cells.add(one);
      for (const other of touched.slice(index + 1)) pairs.add(`${one} ${other}`);
    }
  }
  return {
    cells: { covered: cells.size, all: sum(parameters.map(({ count }) => count)) },
    pairs: { covered: pairs.size, all: pairCount(space) },
  };
}

function pairCount({ mutators, most }: Space): number {
  const counts = mutators.map(({ dimensions }) => dimensions.map(cellCount));
  const pairsOf = (all: readonly number[]) =>
    (sum(all) ** 2 - sum(all.map((count) => count ** 2))) / 2;
  return most > 1 ? pairsOf(counts.flat()) : sum(counts.map(pairsOf));
}

function cellCount(dimension: Dimension): number {
  const count = valueCount(dimension);
  if (dimension.kind === 'choice') return dimension.values.length;
  return count === undefined || count > BigInt(CELLS) ? CELLS : Number(count);
}

function cellOf(dimension: Dimension, value: AttributeValue): number {
  switch (dimension.kind) {
    case 'choice':
      return dimension.values.findIndex((one) => equals(one, value));
    case 'whole': {
      const steps = (value.value as bigint) - dimension.lower;
      const count = dimension.upper - dimension.lower + 1n;
      return Number((steps * BigInt(cellCount(dimension))) / count);
    }
    case 'float': {
      const { lower, discrete } = dimension;
      const upper = dimension.upper + (discrete ? 1 : 0);
      if (lower === upper) return 0;
      const cells = cellCount(dimension);
      // Halved first: the span of two finite bounds may be infinite.
      const share = ((value.value as number) / 2 - lower / 2) / (upper / 2 - lower / 2);
      return Math.min(cells - 1, Math.floor(share * cells));
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
