import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { partitionPoint } from '../../basics/index.js';
import type { Fraction } from '../../expression/index.js';
import { at, itemAt } from '../../source/index.js';
import { addExact, compareExact, type ExactNumber, negateExact } from '../exact/number.js';
import { UNDEFINED, valueOfNumber } from '../exact/term-value.js';
import { relationsOf } from '../join/relation.js';
import { Arrows } from '../methods/arrows.js';
import { type BindingTest, createBindingTests } from '../methods/binding-tests.js';
import { countByTrees, isPlanned } from '../methods/count-by-trees.js';
import { solve } from '../methods/plan.js';
import { type BindingProblem, hasNone } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { negate, partOfLabel } from '../query/operand.js';
import type { Join, Sum } from '../query/query.js';
import { cellsOf, numberAt } from '../select/cells.js';
import type { AggregateValue } from './aggregate.js';
import { percentileRank, totalCount } from './tally.js';

/** Size of the sample that brackets the value, and minimum number of bindings in the sample. */
const DRAWN = 1 << 17;
const FEWEST_DRAWN = 256;
/** Maximum number of pairs to list within the bracket. Tests set other values. */
const MAX_LISTED = 1 << 20;
const MAX_ROUNDS = 6;

/**
 * Computes the percentile of a sum over two labels, such as `b.time - a.time`. Brackets the value with a random sample,
 * counts the bindings up to both ends of the bracket, and lists the bindings within it. Replaces a bracket that misses
 * the value. If an equality leaves few pairs, such as an equality of request ids, lists all pairs at once. Each label's
 * part of the sum must be a number.
 *
 * Takes three counts, and O(n * log n) in the labels' events. Returns undefined if this method does not apply.
 */
export function percentileOfSum(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
  percent: Fraction,
  maxListed = MAX_LISTED,
): AggregateValue | undefined {
  const [u, v] = labels;
  if (u === undefined || v === undefined || problem.query.labels.length !== 2) return undefined;
  if (problem.absences.length > 0 || !isPlanned(problem)) return undefined;
  if (hasNone(problem)) return { value: UNDEFINED };
  const pairs = new Pairs(problem, sum, u, v);
  const resultOf = (value: ExactNumber) => ({
    value: valueOfNumber(addExact(value, pairs.constant)),
  });
  const ties = pairs.listTies(maxListed);
  if (ties !== undefined) {
    if (ties.length === 0) return { value: UNDEFINED };
    return resultOf(ties[Number(percentileRank(percent, BigInt(ties.length))) - 1] as ExactNumber);
  }
  const total = totalCount(solve(problem, { wanted: new Set(), counts: true }));
  if (total === 0n) return { value: UNDEFINED };
  const wantedRank = percentileRank(percent, total);
  const random = xoroshiro128plus(1);

  let [lowValue, highValue]: (ExactNumber | undefined)[] = [];
  let [countBelow, countUpTo] = [0n, total];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ranges = pairs.between(lowValue, highValue);
    if (ranges.size <= maxListed) {
      const values = pairs.values(ranges);
      return resultOf(values[Number(wantedRank - countBelow) - 1] as ExactNumber);
    }
    const sample = pairs.values(ranges, drawIndexes(ranges.size, random));
    if (sample.length < FEWEST_DRAWN) return undefined;
    const [min, max] = [sample[0] as ExactNumber, sample.at(-1) as ExactNumber];
    if (compareExact(min, max) === 0) {
      // Nearly all of the bracket has one value, which no smaller bracket can isolate.
      const [countUnder, countWithin] = [pairs.count('<', min), pairs.count('<=', min)];
      if (countUnder === undefined || countWithin === undefined) return undefined;
      if (countUnder < wantedRank && wantedRank <= countWithin) return resultOf(min);
    }
    const part = Number(wantedRank - countBelow) / Number(countUpTo - countBelow);
    const sampleIndex = part * sample.length;
    const error = 3 * Math.sqrt(sample.length * part * (1 - part)) + 3;
    const edges = [
      ['<=', sample[Math.ceil(sampleIndex + error)]],
      ['<', sample[Math.floor(sampleIndex - error)]],
    ] as const;
    for (const [comparator, edge] of edges) {
      if (edge === undefined) continue;
      const count = pairs.count(comparator, edge);
      if (count === undefined) return undefined;
      if (count >= wantedRank) {
        [highValue, countUpTo] = [edge, count];
        continue;
      }
      [lowValue, countBelow] = [
        edge,
        comparator === '<' ? count : (pairs.count('<', edge) as bigint),
      ];
      break;
    }
    if (
      lowValue !== undefined &&
      highValue !== undefined &&
      compareExact(lowValue, highValue) === 0
    ) {
      return resultOf(lowValue);
    }
  }
  return undefined;
}

/** Half-open ranges of positions in the second label's sorted values, one for each event of the first label. */
interface PairRanges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly size: number;
}

/** The pairs of two labels' events, with each event's part of a sum. */
class Pairs {
  readonly #first: readonly ExactNumber[];
  readonly #second: readonly ExactNumber[];
  /** The second label's positions, sorted by value. */
  readonly #sorted: Int32Array;
  /** The remainder: the sum's constant, plus the offsets subtracted from both parts to keep them small. */
  readonly constant: ExactNumber;
  readonly #arrows: Arrows;
  /** The test for a pair with both events bound. */
  readonly #test: BindingTest;
  readonly #bound: Int32Array;

  constructor(
    readonly problem: BindingProblem,
    readonly sum: Sum,
    readonly u: number,
    readonly v: number,
  ) {
    const [first, min] = this.#parts(u);
    const [second, secondLeast] = this.#parts(v);
    this.#first = first;
    this.#sorted = Int32Array.from(second, (_, position) => position).sort((a, b) =>
      compareExact(second[a] as ExactNumber, second[b] as ExactNumber),
    );
    this.#second = second;
    this.constant = addExact(addExact(min, secondLeast), sum.constant);
    this.#arrows = new Arrows(problem, 'tables');
    this.#test = createBindingTests(problem, [u, v], [])[1] as BindingTest;
    this.#bound = new Int32Array(problem.query.labels.length).fill(-1);
  }

  /** Returns each event's addend minus the first event's addend, and the first event's addend. */
  #parts(label: number): [ExactNumber[], ExactNumber] {
    const { session, lists } = this.problem;
    const { events } = lists[label] as Matches;
    const cells = cellsOf(session, partOfLabel(this.sum, label), events);
    const first = numberAt(cells, 0) as ExactNumber;
    const offset = negateExact(first);
    const part = (position: number) => addExact(numberAt(cells, position) as ExactNumber, offset);
    return [Array.from(events, (_, position) => part(position)), first];
  }

  /**
   * Lists the sums of all bindings in ascending order, without the remainder. Returns undefined if there is no
   * equality, or if the equalities leave more than `limit` pairs.
   */
  listTies(limit: number): ExactNumber[] | undefined {
    const { group } = this.#test;
    if (group === undefined) return undefined;
    const sums: ExactNumber[] = [];
    let triedCount = 0;
    for (const index of this.#first.keys()) {
      this.#bound[this.u] = index;
      const positions = group(this.#bound);
      triedCount += positions.length;
      if (triedCount > limit) return undefined;
      for (const position of positions) this.#add(sums, index, position);
    }
    return sortValues(sums);
  }

  /** Adds the sum of a pair, without the remainder, if the pair is a binding. */
  #add(sums: ExactNumber[], index: number, position: number): void {
    this.#bound[this.u] = index;
    this.#bound[this.v] = position;
    if (!this.#arrows.holds(this.#bound) || !this.#test.holds(this.#bound)) return;
    sums.push(addExact(this.#first[index] as ExactNumber, this.#second[position] as ExactNumber));
  }

  /**
   * Counts the bindings whose sum is below, or at most, a value plus the remainder. Returns undefined if trees cannot
   * count the bindings.
   */
  count(comparator: '<' | '<=', value: ExactNumber): bigint | undefined {
    const { problem, sum, u, v } = this;
    const constant = addExact(sum.constant, negateExact(addExact(value, this.constant)));
    const join: Join = {
      u,
      v,
      left: { ...partOfLabel(sum, u), constant },
      comparator,
      right: negate(partOfLabel(sum, v)),
      text: '',
    };
    const query = { ...problem.query, joins: [...problem.query.joins, join] };
    const relations = relationsOf(query);
    const question = { wanted: new Set<number>(), counts: true };
    const solutions = countByTrees({ ...problem, query, relations }, question);
    return solutions && totalCount({ solutions });
  }

  /** Returns the pairs whose sum, without the remainder, lies between two values, inclusive. */
  between(low: ExactNumber | undefined, high: ExactNumber | undefined): PairRanges {
    const from = new Int32Array(this.#first.length);
    const to = new Int32Array(this.#first.length).fill(this.#second.length);
    let size = 0;
    this.#first.forEach((addend, position) => {
      const base = negateExact(addend);
      if (low !== undefined) from[position] = this.#search(addExact(low, base), 0);
      if (high !== undefined) to[position] = this.#search(addExact(high, base), 1);
      size += at(to, position) - at(from, position);
    });
    return { from, to, size };
  }

  /** Returns the first sorted position whose value is at least the given value or, if `sign` is 1, greater. */
  #search(value: ExactNumber, sign: 0 | 1): number {
    return partitionPoint(0, this.#second.length, (position) => {
      return compareExact(this.#second[at(this.#sorted, position)] as ExactNumber, value) < sign;
    });
  }

  /**
   * Lists the sums of the bindings among the pairs in the ranges, in ascending order, without the remainder.
   *
   * @param chosenIndexes ascending indexes of the pairs to consider (default: all pairs)
   */
  values({ from, to }: PairRanges, chosenIndexes?: Float64Array): ExactNumber[] {
    const sums: ExactNumber[] = [];
    let next = 0;
    let passedCount = 0;
    for (const position of this.#first.keys()) {
      const low = at(from, position);
      const firstIndex = passedCount;
      passedCount += at(to, position) - low;
      const attempt = (index: number) => this.#add(sums, position, at(this.#sorted, index));
      if (chosenIndexes === undefined) {
        for (let index = low; index < at(to, position); index++) attempt(index);
      } else {
        while (next < chosenIndexes.length && itemAt(chosenIndexes, next) < passedCount) {
          attempt(low + itemAt(chosenIndexes, next++) - firstIndex);
        }
      }
    }
    return sortValues(sums);
  }
}

function sortValues(values: ExactNumber[]): ExactNumber[] {
  if (!values.every((value) => typeof value === 'number')) return values.sort(compareExact);
  return Array.from(Float64Array.from(values).sort());
}

/** Draws random integers below a size. Returns them in ascending order. */
function drawIndexes(size: number, random: RandomGenerator): Float64Array {
  return Float64Array.from({ length: DRAWN }, () =>
    Math.floor(uniformFloat64(random) * size),
  ).sort();
}
