import { ValueKind } from '../../session/index.js';
import { compareExact, type ExactNumber, keyOfExact } from '../exact/number.js';
import { ExactSums } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments, valueOfNumber } from '../exact/term-value.js';
import { addCounts } from '../join/count-trees.js';
import type { SolvedProblem } from '../methods/problem.js';
import { constantValue } from '../query/operand.js';
import type { AggregateTerm } from '../query/query.js';
import { type Cells, numberAt } from '../select/cells.js';

/** An argument's value: a number, or a text that identifies any other value. */
export type TallyValue = ExactNumber | { readonly other: string };

/** An accumulator that computes a function of an argument's values, each weighted by its number of bindings. */
export interface Tally {
  /**
   * Adds a value.
   *
   * @param count positive
   * @returns for `max` and `min`: positive if the value is better than all previous values, 0 if it equals the best
   * value
   */
  add(value: TallyValue, count: number | bigint): number;
  value(): TermValue;
  /** The number of distinct values kept. */
  readonly size: number;
}

export function newTally({ function: { carries, fewest }, percent }: AggregateTerm): Tally {
  switch (carries.kind) {
    case 'moments': {
      const sums = new ExactSums(carries.squares);
      return {
        add(value, count) {
          if (isNumeric(value)) sums.add(value, count);
          return -1;
        },
        value: () => valueOfMoments(carries, fewest, sums.total()),
        size: 0,
      };
    }
    case 'extreme':
      return new Extreme(carries.end === 'max' ? 1 : -1);
    case 'distinct': {
      const keys = new Set<number | bigint | string>();
      return {
        add(value) {
          keys.add(keyOfTallyValue(value));
          return -1;
        },
        value: () => valueOfNumber(keys.size),
        get size() {
          return keys.size;
        },
      };
    }
    case 'percentile':
      return new Percentile(percent as NonNullable<typeof percent>);
    case 'bindings':
      throw new RangeError('the number of bindings is not a function of values');
  }
}

/** Computes a function of an argument without labels, which has the same value in all bindings. */
export function repeatedValue(term: AggregateTerm, bindings: bigint): TermValue {
  const tally = newTally(term);
  const value = constantValue(term.argument);
  if (value === undefined || bindings === 0n) return tally.value();
  const isOther = typeof value === 'string' || typeof value === 'boolean';
  tally.add(isOther ? { other: String(value) } : value, bindings);
  return tally.value();
}

class Extreme implements Tally {
  readonly size = 0;
  #best: ExactNumber | undefined;

  constructor(readonly direction: 1 | -1) {}

  add(value: TallyValue): number {
    if (!isNumeric(value)) return -1;
    const sign = this.#best === undefined ? 1 : this.direction * compareExact(value, this.#best);
    if (sign > 0) this.#best = value;
    return sign;
  }

  value(): TermValue {
    return this.#best === undefined ? UNDEFINED : valueOfNumber(this.#best);
  }
}

class Percentile implements Tally {
  /** Counts by value key. The keys of fractions are texts. */
  readonly #counts = new Map<number | bigint | string, number | bigint>();
  readonly #fractions = new Map<string, ExactNumber>();

  constructor(readonly percent: NonNullable<AggregateTerm['percent']>) {}

  get size(): number {
    return this.#counts.size;
  }

  add(value: TallyValue, count: number | bigint): number {
    if (!isNumeric(value)) return -1;
    const key = keyOfExact(value);
    if (typeof key === 'string') this.#fractions.set(key, value);
    this.#counts.set(key, addCounts(this.#counts.get(key) ?? 0, count));
    return -1;
  }

  value(): TermValue {
    let total: number | bigint = 0;
    for (const count of this.#counts.values()) total = addCounts(total, count);
    const wantedRank = percentileRank(this.percent, BigInt(total));
    let countUpTo: number | bigint = 0;
    for (const key of this.#sorted()) {
      countUpTo = addCounts(countUpTo, this.#counts.get(key) ?? 0);
      if (countUpTo >= wantedRank) return valueOfNumber(this.#valueOf(key));
    }
    return UNDEFINED;
  }

  #valueOf(key: number | bigint | string): ExactNumber {
    return typeof key === 'string' ? (this.#fractions.get(key) as ExactNumber) : key;
  }

  /** Returns the keys, sorted by value. */
  #sorted(): Iterable<number | bigint | string> {
    const keys = [...this.#counts.keys()];
    const numbers = keys.filter((key) => typeof key === 'number');
    if (numbers.length === keys.length) return Float64Array.from(numbers).sort();
    return keys.sort((a, b) => compareExact(this.#valueOf(a), this.#valueOf(b)));
  }
}

/** Returns a percentile's rank among sorted values, from 1, by the nearest-rank method. */
export function percentileRank(
  { n, d }: NonNullable<AggregateTerm['percent']>,
  total: bigint,
): bigint {
  return (n * total + 100n * d - 1n) / (100n * d);
}

export function isNumeric(value: TallyValue): value is ExactNumber {
  return typeof value !== 'object' || !('other' in value);
}

/** Returns a value's key. Values that are equal under `=` have equal keys. */
export function keyOfTallyValue(value: TallyValue): number | bigint | string {
  return isNumeric(value) ? keyOfExact(value) : value.other;
}

/** Returns the total number of bindings. */
export function totalCount({ solutions }: Pick<SolvedProblem, 'solutions'>): bigint {
  return solutions.reduce((sum, { total }) => sum + total, 0n);
}

/** Returns the value, of any kind, at a position; undefined for a missing value. */
export function tallyValueAt(cells: Cells, position: number): TallyValue | undefined {
  const number = numberAt(cells, position);
  if (number !== undefined) return number;
  const kind = cells.kinds[position];
  if (kind === undefined || kind === ValueKind.missing) return undefined;
  return { other: `${kind} ${cells.numbers[position]}` };
}
