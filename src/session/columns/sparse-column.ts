import type { Column } from '../session.js';
import { ExactIntegers } from './exact-integers.js';

/** The values of the few events that have an attribute. */
export interface SparseValues {
  /** Ascending. */
  readonly events: Int32Array;
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  /** What each number lacks to its integer. */
  readonly differences: Int16Array;
  readonly large: ReadonlyMap<number, bigint>;
}

/** A column of an attribute that few events have; laid out over all events when it is asked for. */
export class SparseColumn implements Column {
  private readonly size: number;
  readonly values: SparseValues;
  private full: Column | undefined;

  constructor(size: number, values: SparseValues) {
    this.size = size;
    this.values = values;
    // Only a column that has exact integers has the property, as the contract says.
    if (values.large.size > 0 || values.differences.some((difference) => difference !== 0)) {
      Object.defineProperty(this, 'exact', { get: () => this.spread().exact, enumerable: true });
    }
  }

  get kinds(): Uint8Array {
    return this.spread().kinds;
  }

  get numbers(): Float64Array {
    return this.spread().numbers;
  }

  declare readonly exact?: ReadonlyMap<number, bigint>;

  private spread(): Column {
    this.full ??= spread(this.size, this.values);
    return this.full;
  }
}

function spread(
  size: number,
  { events, kinds, numbers, differences, large }: SparseValues,
): Column {
  const full = {
    kinds: new Uint8Array(size),
    numbers: new Float64Array(size),
    differences: new Int16Array(differences.some((one) => one !== 0) ? size : 0),
  };
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as number;
    full.kinds[event] = kinds[index] as number;
    full.numbers[event] = numbers[index] as number;
    const difference = differences[index] as number;
    if (difference !== 0) full.differences[event] = difference;
  }
  if (full.differences.length === 0 && large.size === 0) return full;
  return { ...full, exact: new ExactIntegers(full.numbers, full.differences, large) };
}
