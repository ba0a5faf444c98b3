import { sum } from '../../basics/index.js';
import { type AttributeValue, equals } from '../../values/index.js';
import { countControls, delayControl } from './controls.js';
import { type Dimension, nthValue, valueCount } from './dimension.js';
import { randomFor } from './random.js';
import { keyOf, type MutationSet, type Space, type Strategy } from './space.js';

/** Returns an enumeration of a space's sets; undefined if a parameter is continuous. */
function enumerateSets({ mutators, maxMutations }: Space) {
  const values = mutators.map(({ dimensions }) => dimensions.map(valueCount));
  if (values.flat().includes(undefined)) return undefined;
  const counts = values.map((sizes) =>
    sizes.reduce<bigint>((product, size) => product * (size ?? 1n), 1n),
  );
  /**
   * For each mutator and maximum size, the number of sets with only this mutator and later mutators, including the
   * empty set.
   */
  const ways: bigint[][] = [Array.from({ length: maxMutations + 1 }, () => 1n)];
  for (const count of counts.toReversed()) {
    const laterWays = ways[0] as readonly bigint[];
    ways.unshift(
      laterWays.map((skippedWays, size) => skippedWays + count * (laterWays[size - 1] ?? 0n)),
    );
  }
  return {
    count: (ways[0]?.[maxMutations] as bigint) - 1n,
    /** Returns a set by its zero-based index. */
    set(number: bigint): MutationSet {
      const set: { mutator: number; values: MutationSet[number]['values'] }[] = [];
      // Index 0 of the enumeration is the empty set, which is skipped.
      let remainder = number + 1n;
      for (const [mutator, { dimensions }] of mutators.entries()) {
        const remaining = maxMutations - set.length;
        const skippedWays = ways[mutator + 1]?.[remaining] as bigint;
        if (remainder < skippedWays) continue;
        const laterWays = ways[mutator + 1]?.[remaining - 1] as bigint;
        let choice = (remainder - skippedWays) / laterWays;
        remainder = (remainder - skippedWays) % laterWays;
        const mutatorValues = dimensions.map((dimension) => {
          const count = valueCount(dimension) as bigint;
          const value = nthValue(dimension, choice % count);
          choice /= count;
          return value;
        });
        set.push({ mutator, values: mutatorValues });
      }
      return set;
    },
  };
}

/**
 * Counts the distinct sets that a run can try, counting all controls as one set; undefined if the space is not finite.
 */
export function countSets(space: Space): bigint | undefined {
  const sets = enumerateSets(space);
  const controls = countControls(space);
  return sets && (controls > 1n ? sets.count - controls + 1n : sets.count);
}

/** Maximum number of consecutive repeated sets. Beyond this number, the strategy is assumed to have no new sets. */
const MAX_REPEATS = 32;

/** Yields new sets until the strategy repeats `MAX_REPEATS` sets in a row. Adds each set's key to `seenKeys`. */
export function* drawNewSets(
  draw: ReturnType<Strategy>,
  seenKeys: Set<string>,
): Generator<MutationSet, undefined> {
  let repeats = 0;
  for (let n = 0; repeats < MAX_REPEATS; n += 1) {
    const set = draw(n);
    const size = seenKeys.size;
    repeats = seenKeys.add(keyOf(set)).size === size ? repeats + 1 : 0;
    if (repeats === 0) yield set;
  }
}

/**
 * Returns a strategy that repeats a set of a finite space only after all sets have occurred. The given strategy's sets
 * come first, then the remaining sets. After the last set, the sequence starts over. At most one control occurs, after
 * the first sets.
 */
export function withoutRepeats(strategy: Strategy): Strategy {
  return (space, seed) => {
    const draw = strategy(space, seed);
    const finiteSets = enumerateSets(space);
    const source =
      finiteSets === undefined ? drawForever(draw) : drawEverySet(finiteSets, seed, draw);
    const next = delayControl(space, source);
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

function* drawForever(draw: ReturnType<Strategy>): Generator<MutationSet> {
  for (let n = 0; ; n += 1) yield draw(n);
}

function* drawEverySet(
  { count, set }: NonNullable<ReturnType<typeof enumerateSets>>,
  seed: bigint,
  draw: ReturnType<Strategy>,
): Generator<MutationSet> {
  const seenKeys = new Set<string>();
  yield* drawNewSets(draw, seenKeys);
  // A step coprime to the number of sets reaches every set, and a large step looks random.
  let step = (count * 618n) / 1_000n + 1n;
  while (greatestCommonDivisor(step, count) !== 1n) step += 1n;
  let number = randomFor(seed, 'all sets').between(0n, count - 1n);
  for (let index = 0n; index < count; index += 1n) {
    const candidate = set(number);
    if (!seenKeys.has(keyOf(candidate))) yield candidate;
    number = (number + step) % count;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** A space's coverage by sets. */
export interface Coverage {
  /** Parameter cells, each an option or a tenth of a range. */
  readonly cells: Share;
  /** Pairs of cells from different parameters that can occur together. */
  readonly pairs: Share;
}

export interface Share {
  readonly covered: number;
  readonly total: number;
}

/** Number of cells in a range. */
const CELLS = 10;

/** Counts the cells and pairs of cells that sets cover. */
export function coverageOf(space: Space, sets: Iterable<MutationSet>): Coverage {
  const dimensions = space.mutators.flatMap((mutator) => mutator.dimensions);
  const cells = new Set<string>();
  const pairs = new Set<string>();
  for (const set of sets) {
    const cellNames = set.flatMap(({ mutator, values }) =>
      values.map((value, index) => {
        const dimension = space.mutators[mutator]?.dimensions[index] as Dimension;
        return `${mutator}:${index}:${cellOf(dimension, value)}`;
      }),
    );
    // Sorting makes a pair's name independent of the order.
    cellNames.sort();
    for (const [index, cell] of cellNames.entries()) {
      cells.add(cell);
      for (const otherCell of cellNames.slice(index + 1)) pairs.add(`${cell} ${otherCell}`);
    }
  }
  return {
    cells: { covered: cells.size, total: sum(dimensions.map(countCells)) },
    pairs: { covered: pairs.size, total: countPairs(space) },
  };
}

function countPairs({ mutators, maxMutations }: Space): number {
  const counts = mutators.map(({ dimensions }) => dimensions.map(countCells));
  const pairsIn = (sizes: readonly number[]) =>
    (sum(sizes) ** 2 - sum(sizes.map((count) => count ** 2))) / 2;
  return maxMutations > 1 ? pairsIn(counts.flat()) : sum(counts.map(pairsIn));
}

function countCells(dimension: Dimension): number {
  const count = valueCount(dimension);
  if (dimension.kind === 'choice') return dimension.values.length;
  return count === undefined || count > BigInt(CELLS) ? CELLS : Number(count);
}

function cellOf(dimension: Dimension, value: AttributeValue): number {
  switch (dimension.kind) {
    case 'choice':
      return dimension.values.findIndex((option) => equals(option, value));
    case 'whole': {
      const steps = (value.value as bigint) - dimension.lower;
      const count = dimension.upper - dimension.lower + 1n;
      return Number((steps * BigInt(countCells(dimension))) / count);
    }
    case 'float': {
      const { lower, discrete } = dimension;
      const upper = dimension.upper + (discrete ? 1 : 0);
      if (lower === upper) return 0;
      const cells = countCells(dimension);
      // Both bounds are halved first, because the difference of two finite bounds may be infinite.
      const share = ((value.value as number) / 2 - lower / 2) / (upper / 2 - lower / 2);
      return Math.min(cells - 1, Math.floor(share * cells));
    }
  }
}
