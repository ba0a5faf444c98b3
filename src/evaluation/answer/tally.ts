import { ValueKind } from '../../session/index.js';
import { compareExact, type Exact, keyOfExact } from '../exact/number.js';
import { ExactSums } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments, valueOfNumber } from '../exact/term-value.js';
import type { Solved } from '../methods/problem.js';
import type { AggregateTerm } from '../query/query.js';
import { type Cells, numberAt } from '../select/cells.js';

/** What an argument comes to: a number, or what tells any other value apart. */
export type TallyValue = Exact | { readonly other: string };

/** The values of an argument, each as often as bindings have it, and what a function makes of them. */
export interface Tally {
  /**
   * @param count above 0
   * @returns for `max` and `min` above 0 where it is the best so far, 0 where it is as good
   */
  add(value: TallyValue, count: number | bigint): number;
  value(): TermValue;
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
      };
    }
    case 'percentile':
      return new Percentile(percent as NonNullable<typeof percent>);
    case 'bindings':
      throw new RangeError('the number of bindings is no function of values');
  }
}

class Extreme implements Tally {
  #best: Exact | undefined;

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
  readonly #values: Exact[] = [];
  readonly #counts: (number | bigint)[] = [];

  constructor(readonly percent: NonNullable<AggregateTerm['percent']>) {}

  add(value: TallyValue, count: number | bigint): number {
    if (!isNumeric(value)) return -1;
    this.#values.push(value);
    this.#counts.push(count);
    return -1;
  }

  value(): TermValue {
    const total = this.#counts.reduce<bigint>((sum, count) => sum + BigInt(count), 0n);
    if (total === 0n) return UNDEFINED;
    let left = rankOf(this.percent, total);
    const places = Uint32Array.from(this.#values, (_, place) => place);
    places.sort((a, b) => compareExact(this.#values[a] as Exact, this.#values[b] as Exact));
    for (const place of places) {
      left -= BigInt(this.#counts[place] as number | bigint);
      if (left <= 0n) return valueOfNumber(this.#values[place] as Exact);
    }
    return UNDEFINED;
  }
}

/** How many of the values, in their order, are at least so many percent of all: the last of them counts. */
export function rankOf({ n, d }: NonNullable<AggregateTerm['percent']>, total: bigint): bigint {
  return (n * total + 100n * d - 1n) / (100n * d);
}

export function isNumeric(value: TallyValue): value is Exact {
  return typeof value !== 'object' || !('other' in value);
}

/** What values that are equal under `=` have in common. */
export function keyOfTallyValue(value: TallyValue): number | bigint | string {
  return isNumeric(value) ? keyOfExact(value) : value.other;
}

/** How many bindings there are. */
export function totalOf({ solutions }: Pick<Solved, 'solutions'>): bigint {
  return solutions.reduce((sum, { total }) => sum + total, 0n);
}

/** The value at a position, of any kind; undefined where it is missing. */
export function tallyValueAt(cells: Cells, place: number): TallyValue | undefined {
  const number = numberAt(cells, place);
  if (number !== undefined) return number;
  const kind = cells.kinds[place];
  if (kind === undefined || kind === ValueKind.missing) return undefined;
  return { other: `${kind} ${cells.numbers[place]}` };
}
