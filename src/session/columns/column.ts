import { at, itemAt } from '../../source/index.js';
import { type Column, type ExactIntegers, ValueKind } from '../session.js';

/** The integer at an event, exactly; the event's value must be one. */
export function integerAt({ numbers, exact }: Column, event: number): bigint {
  return exact === undefined
    ? BigInt(itemAt(numbers, event))
    : (exact.large.get(event) ?? itemAt(exact.integers, event));
}

/** The integer at an event where its number may be rounded; undefined for any other value. */
export function roundedAt(column: Column, event: number): bigint | undefined {
  if (column.exact === undefined || Number.isSafeInteger(itemAt(column.numbers, event))) {
    return undefined;
  }
  return itemAt(column.kinds, event) === ValueKind.integer ? integerAt(column, event) : undefined;
}

/** The values of the few events that have an attribute. */
export interface SparseValues {
  /** Ascending. */
  readonly events: Int32Array;
  /** One of each for each of these events. */
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  /** Where doubles round: `integers` too has one for each of these events. */
  readonly exact?: ExactIntegers;
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
    if (values.exact !== undefined) {
      Object.defineProperty(this, 'exact', { get: () => this.spread().exact, enumerable: true });
    }
  }

  get kinds(): Uint8Array {
    return this.spread().kinds;
  }

  get numbers(): Float64Array {
    return this.spread().numbers;
  }

  declare readonly exact?: ExactIntegers;

  private spread(): Column {
    this.full ??= spread(this.size, this.values);
    return this.full;
  }
}

function spread(size: number, { events, kinds, numbers, exact }: SparseValues): Column {
  const full = { kinds: new Uint8Array(size), numbers: new Float64Array(size) };
  const integers = new BigInt64Array(exact === undefined ? 0 : size);
  for (let index = 0; index < events.length; index++) {
    const event = at(events, index);
    full.kinds[event] = itemAt(kinds, index);
    full.numbers[event] = itemAt(numbers, index);
    if (exact !== undefined) integers[event] = itemAt(exact.integers, index);
  }
  return exact === undefined ? full : { ...full, exact: { integers, large: exact.large } };
}

/** Takes a value; `exact` is there where the number of an integer may be rounded. */
export type Take = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/**
 * Hands out the values of the events from `first` to before `end`, ascending. A column that few
 * events have is not laid out for it.
 */
export function forEachValue(column: Column, first: number, end: number, take: Take): void {
  if (column instanceof SparseColumn) {
    const { events, kinds, numbers, exact } = column.values;
    for (let index = lowerBound(events, first); index < events.length; index++) {
      const event = at(events, index);
      if (event >= end) return;
      const [kind, number] = [itemAt(kinds, index), itemAt(numbers, index)];
      const isRounded = exact !== undefined && kind === ValueKind.integer;
      const integer = isRounded
        ? (exact.large.get(event) ?? itemAt(exact.integers, index))
        : undefined;
      take(event, kind, number, integer);
    }
    return;
  }
  const { kinds, numbers } = column;
  for (let event = first; event < end; event++) {
    const kind = itemAt(kinds, event);
    if (kind !== ValueKind.missing)
      take(event, kind, itemAt(numbers, event), roundedAt(column, event));
  }
}

/** The number of items below a limit, in an ascending list. */
export function lowerBound(items: Int32Array, limit: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(items, middle) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
