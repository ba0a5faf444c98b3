import { ExactIntegers } from '../columns/exact-integers.js';
import type { Column } from '../session.js';

/** Numbers in the narrowest form that holds them. */
export type Narrow = Uint8Array | Int16Array | Int32Array | Float64Array;

/** A column as a cache holds it: narrow, and laid out when it is asked for. */
export interface StoredValues {
  /** The kinds of the events, or the one kind that all of them have. */
  readonly kinds: Uint8Array | number;
  readonly numbers: Narrow;
  readonly differences?: Int16Array;
  readonly large: ReadonlyMap<number, bigint>;
}

/** A column from a cache. Most sessions have more columns than an expression looks at. */
export class StoredColumn implements Column {
  private readonly values: StoredValues;
  private wideKinds: Uint8Array | undefined;
  private wideNumbers: Float64Array | undefined;
  declare readonly exact?: ReadonlyMap<number, bigint>;

  constructor(values: StoredValues) {
    this.values = values;
    const { differences, large } = values;
    // Only a column that has exact integers has the property, as the contract says.
    if (differences === undefined && large.size === 0) return;
    this.exact = new ExactIntegers(this.numbers, differences ?? new Int16Array(0), large);
  }

  get kinds(): Uint8Array {
    if (this.wideKinds === undefined) {
      const { kinds, numbers } = this.values;
      this.wideKinds =
        typeof kinds === 'number' ? new Uint8Array(numbers.length).fill(kinds) : kinds;
    }
    return this.wideKinds;
  }

  get numbers(): Float64Array {
    if (this.wideNumbers === undefined) {
      const { numbers } = this.values;
      this.wideNumbers = numbers instanceof Float64Array ? numbers : new Float64Array(numbers);
    }
    return this.wideNumbers;
  }
}

/** The kinds, or the one kind of all of them. */
export function narrowKinds(kinds: Uint8Array): Uint8Array | number {
  const [first = 0] = kinds;
  return kinds.every((kind) => kind === first) ? first : kinds;
}

/** The same numbers in the narrowest form that holds them exactly. */
export function narrowNumbers(numbers: Float64Array): Narrow {
  let [least, most] = [0, 0];
  for (const number of numbers) {
    if (number !== (number | 0) || Object.is(number, -0)) return numbers;
    if (number < least) least = number;
    else if (number > most) most = number;
  }
  if (least >= 0 && most < 2 ** 8) return Uint8Array.from(numbers);
  if (least >= -(2 ** 15) && most < 2 ** 15) return Int16Array.from(numbers);
  return Int32Array.from(numbers);
}
