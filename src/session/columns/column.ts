import { at, itemAt, lastAtMost } from '../../source/index.js';
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

/** A column of an attribute that few events have; laid out over all events when it is asked for. */
export class SparseColumn implements Column {
  private readonly size: number;
  /** Ascending. */
  readonly events: Int32Array;
  /** The values of these events. */
  readonly values: Column;
  private full: Column | undefined;

  constructor(size: number, events: Int32Array, values: Column) {
    this.size = size;
    this.events = events;
    this.values = values;
  }

  get exact(): ExactIntegers | undefined {
    return this.values.exact && this.spread().exact;
  }

  get kinds(): Uint8Array {
    return this.spread().kinds;
  }

  get numbers(): Float64Array {
    return this.spread().numbers;
  }

  private spread(): Column {
    if (this.full !== undefined) return this.full;
    const { size, events, values } = this;
    const [kinds, numbers] = [new Uint8Array(size), new Float64Array(size)];
    const integers = new BigInt64Array(values.exact === undefined ? 0 : size);
    const large = new Map<number, bigint>();
    for (const [index, event] of events.entries()) {
      kinds[event] = itemAt(values.kinds, index);
      numbers[event] = itemAt(values.numbers, index);
      if (values.exact === undefined) continue;
      integers[event] = itemAt(values.exact.integers, index);
      const integer = values.exact.large.get(index);
      if (integer !== undefined) large.set(event, integer);
    }
    this.full = { kinds, numbers, ...(values.exact && { exact: { integers, large } }) };
    return this.full;
  }
}

/** Takes a value; `exact` is there where the number of an integer may be rounded. */
export type Take = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/**
 * Hands out the values of the events from `first` to before `end`, ascending. A column that few
 * events have is not laid out for it.
 */
export function forEachValue(column: Column, first: number, end: number, take: Take): void {
  if (column instanceof SparseColumn) {
    const { events, values } = column;
    const [from, to] = [firstFrom(events, first), firstFrom(events, end)];
    forEachValue(values, from, to, (index, ...value) => take(at(events, index), ...value));
    return;
  }
  const { kinds, numbers } = column;
  for (let event = first; event < end; event++) {
    const kind = itemAt(kinds, event);
    if (kind !== ValueKind.missing)
      take(event, kind, itemAt(numbers, event), roundedAt(column, event));
  }
}

/** The index of the first of ascending events that is not below a limit. */
export function firstFrom(events: Int32Array, limit: number): number {
  return lastAtMost(limit - 1, events.length, (index) => at(events, index)) + 1;
}
