import { sum } from '../../basics/index.js';
import { type AttributeValue, equals } from '../../values/index.js';
import { controlCount, controlLater } from './controls.js';
import { type Dimension, nthValue, valueCount } from './dimension.js';
import { randomFor } from './random.js';
import { keyOf, type MutationSet, type Space, type Strategy } from './space.js';

/** Returns all the sets of a space; undefined if a parameter has as many values as floats can distinguish. */
function countedSets({ mutators, most }: Space) {
  const values = mutators.map(({ dimensions }) => dimensions.map(valueCount));
  if (values.flat().includes(undefined)) return undefined;
  const counts = values.map((all) =>
    all.reduce<bigint>((product, one) => product * (one ?? 1n), 1n),
  );
  /** By mutator and remaining size: the number of sets, counting the empty one, of this and the later mutators. */
  const ways: bigint[][] = [Array.from({ length: most + 1 }, () => 1n)];
  for (const count of counts.toReversed()) {
    const later = ways[0] as readonly bigint[];
    ways.unshift(later.map((without, left) => without + count * (later[left - 1] ?? 0n)));
  }
  return {
    count: (ways[0]?.[most] as bigint) - 1n,
    /** Returns a set by its number, from 0 on. */
    set(number: bigint): MutationSet {
      const set: { mutator: number; values: MutationSet[number]['values'] }[] = [];
      // The first set is the empty one.
      let rest = number + 1n;
      for (const [mutator, { dimensions }] of mutators.entries()) {
        const left = most - set.length;
        const without = ways[mutator + 1]?.[left] as bigint;
        if (rest < without) continue;
        const others = ways[mutator + 1]?.[left - 1] as bigint;
        let chosen = (rest - without) / others;
        rest = (rest - without) % others;
        const ofMutator = dimensions.map((dimension) => {
          const count = valueCount(dimension) as bigint;
          const value = nthValue(dimension, chosen % count);
          chosen /= count;
          return value;
        });
        set.push({ mutator, values: ofMutator });
      }
      return set;
    },
  };
}

/** Counts the different sets that a run can have, with all controls as one; undefined if they cannot be counted. */
export function setCount(space: Space): bigint | undefined {
  const counted = countedSets(space);
  const controls = controlCount(space);
  return counted && (controls > 1n ? counted.count - controls + 1n : counted.count);
}

/** After this many consecutive repeated sets, a strategy is assumed to have no others. */
const MOST_REPEATED = 32;

/** Yields new sets until a strategy repeats itself; `seen` grows with each. */
export function* newSets(
  draw: ReturnType<Strategy>,
  seen: Set<string>,
): Generator<MutationSet, undefined> {
  let repeated = 0;
  for (let n = 0; repeated < MOST_REPEATED; n += 1) {
    const set = draw(n);
    const size = seen.size;
    repeated = seen.add(keyOf(set)).size === size ? repeated + 1 : 0;
    if (repeated === 0) yield set;
  }
}

/**
 * Returns a strategy that repeats no set of a space before it has made all of them, if they can be counted: first
 * its own sets, then the others. After the last one, it starts over. A control occurs at most once, and not among
 * the first sets.
 */
export function withoutRepeats(strategy: Strategy): Strategy {
  return (space, seed) => {
    const draw = strategy(space, seed);
    const counted = countedSets(space);
    const all = counted === undefined ? eachSet(draw) : everySet(counted, seed, draw);
    const next = controlLater(space, all);
    const sets: MutationSet[] = [];
    return (n) => {
      while (sets.length <= n) {
        const { value } = next.next();
        if (value === undefined) return sets[n % sets.length] as MutationSet;
        sets.push(value);
      }
      return sets[n] as MutationSet;
    };
  };
}

function* eachSet(draw: ReturnType<Strategy>): Generator<MutationSet> {
  for (let n = 0; ; n += 1) yield draw(n);
}

function* everySet(
  { count, set }: NonNullable<ReturnType<typeof countedSets>>,
  seed: bigint,
  draw: ReturnType<Strategy>,
): Generator<MutationSet> {
  const seen = new Set<string>();
  yield* newSets(draw, seen);
  // A step that shares no factor with the number of sets reaches each of them; a large one looks random.
  let step = (count * 618n) / 1_000n + 1n;
  while (greatestCommonDivisor(step, count) !== 1n) step += 1n;
  let number = randomFor(seed, 'all sets').between(0n, count - 1n);
  for (let met = 0n; met < count; met += 1n) {
    const one = set(number);
    if (!seen.has(keyOf(one))) yield one;
    number = (number + step) % count;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** The coverage of a space by some sets. */
export interface Coverage {
  /** Cells of parameters: each option, or each tenth of a range. */
  readonly cells: Share;
  /** Pairs of cells of different parameters that may occur together. */
  readonly pairs: Share;
}

export interface Share {
  readonly covered: number;
  readonly all: number;
}

/** Number of cells of a range. */
const CELLS = 10;

/** Counts the cells, and the pairs of cells, that sets have touched. */
export function coverageOf(space: Space, sets: Iterable<MutationSet>): Coverage {
  const dimensions = space.mutators.flatMap((mutator) => mutator.dimensions);
  const cells = new Set<string>();
  const pairs = new Set<string>();
  for (const set of sets) {
    const touched = set.flatMap(({ mutator, values }) =>
      values.map((value, at) => {
        const dimension = space.mutators[mutator]?.dimensions[at] as Dimension;
        return `${mutator}:${at}:${cellOf(dimension, value)}`;
      }),
    );
    // A pair has one name in either order of its cells.
    touched.sort();
    for (const [index, one] of touched.entries()) {
      cells.add(one);
      for (const other of touched.slice(index + 1)) pairs.add(`${one} ${other}`);
    }
  }
  return {
    cells: { covered: cells.size, all: sum(dimensions.map(cellCount)) },
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
