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
class SparseColumn implements Column {
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
type Take = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/**
 * Hands out the values of the events from `first` to before `end`, ascending. A column that few
 * events have is not laid out for it.
 */
export function forEachValue(column: Column, first: number, end: number, take: Take): void {
  if (column instanceof SharedColumn) {
    column.forEach(first, end, take);
    return;
  }
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

/** Which rows of shared values the events of a session have. */
export interface RowsOfEvents {
  /** For each event the row of its own, and that of where it comes from; -1 for none. */
  readonly own: Int32Array;
  readonly origin: Int32Array;
  /** The events of each row, row by row; `start` has one more entry at the end. */
  readonly start: Int32Array;
  readonly events: Int32Array;
}

/** A column of values that events share; laid out over all events when it is asked for. */
export class SharedColumn implements Column {
  private readonly rows: RowsOfEvents;
  /** By row. */
  private readonly values: Column;
  /** By event, those that are not shared. */
  private readonly single: Column | undefined;
  private full: Column | undefined;

  constructor(rows: RowsOfEvents, values: Column, single: Column | undefined) {
    this.rows = rows;
    this.values = values;
    this.single = single;
  }

  get exact(): ExactIntegers | undefined {
    return (this.values.exact ?? this.single?.exact) && this.spread().exact;
  }

  get kinds(): Uint8Array {
    return this.spread().kinds;
  }

  get numbers(): Float64Array {
    return this.spread().numbers;
  }

  /** As `forEachValue` does. */
  forEach(first: number, end: number, take: Take): void {
    const { values, single } = this;
    const { own, origin } = this.rows;
    const base = values instanceof SparseColumn ? values.values : values;
    for (let event = first; event < end; event++) {
      let [column, index] = [base, indexOfRow(values, at(own, event))];
      if (index < 0) index = indexOfRow(values, at(origin, event));
      if (index < 0 && single !== undefined) [column, index] = [single, event];
      const kind = index < 0 ? ValueKind.missing : itemAt(column.kinds, index);
      if (kind === ValueKind.missing) continue;
      take(event, kind, itemAt(column.numbers, index), roundedAt(column, index));
    }
  }

  private spread(): Column {
    if (this.full !== undefined) return this.full;
    const size = this.rows.own.length;
    const column = new GrowingColumn();
    this.forEach(0, size, (...value) => column.copy(...value));
    this.full = column.lay(size, (event) => event);
    return this.full;
  }
}

/** Where a column has the value of a row, or -1. */
function indexOfRow(values: Column, row: number): number {
  if (row < 0) return -1;
  if (!(values instanceof SparseColumn)) {
    return itemAt(values.kinds, row) === ValueKind.missing ? -1 : row;
  }
  const index = firstFrom(values.events, row);
  return index < values.events.length && at(values.events, index) === row ? index : -1;
}

/**
 * The column of an attribute whose values belong to events, to rows that events share, or to both.
 *
 * @param place for each event of `single` its number in the session; -1 for one that is left out
 */
export function joinColumns(
  size: number,
  place: Int32Array,
  single: GrowingColumn | undefined,
  shared: GrowingColumn | undefined,
  rows: RowsOfEvents,
): Column | undefined {
  if (shared === undefined || shared.count === 0)
    return single?.build(size, (event) => at(place, event));
  const { start, events } = rows;
  let count = single?.count ?? 0;
  shared.forEach((row) => {
    count += at(start, row + 1) - at(start, row);
  });
  if (count * SPARSE >= size) {
    const values = shared.build(start.length - 1, (row) => row) as Column;
    return new SharedColumn(
      rows,
      values,
      single?.build(size, (event) => at(place, event)),
    );
  }
  const all = new GrowingColumn();
  single?.forEach((event, ...value) => {
    all.copy(at(place, event), ...value);
  });
  shared.forEach((row, ...value) => {
    for (let at = start[row] as number; at < (start[row + 1] as number); at++) {
      all.copy(events[at] as number, ...value);
    }
  });
  return all.build(size, (event) => event);
}

/** A column of which fewer than one in so many events have a value is sparse. */
const SPARSE = 8;

type NumberArray = Int32Array | Uint8Array | Float64Array | BigInt64Array;

/** A list of numbers of one kind that grows at its end. */
export class Growing<A extends NumberArray> {
  private items: A;
  private readonly kind: new (
    length: number,
  ) => A;
  length = 0;

  constructor(kind: new (length: number) => A) {
    this.kind = kind;
    this.items = new kind(4);
  }

  push(item: A[number]): void {
    if (this.length === this.items.length) {
      const grown = new this.kind(this.length + (this.length >> 1));
      grown.set(this.items as never);
      this.items = grown;
    }
    this.items[this.length++] = item;
  }

  /** The item at a place that there is. */
  at(index: number): A[number] {
    return this.items[index] as A[number];
  }

  /** The items; not a copy, and of this moment only. */
  view(): A {
    return this.items.subarray(0, this.length) as A;
  }
}

/**
 * A column that is being read: the values in the order in which they came, each with the number
 * of its event. It costs only for the events that have the attribute.
 */
export class GrowingColumn {
  private readonly events = new Growing(Int32Array);
  private readonly kinds = new Growing(Uint8Array);
  private readonly numbers = new Growing(Float64Array);
  /** The integers whose numbers may be rounded, in their order; 0 for those of more than 64 bits. */
  private readonly integers = new Growing(BigInt64Array);
  /** By event. */
  private readonly large = new Map<number, bigint>();

  get count(): number {
    return this.events.length;
  }

  /** The kind and the number of the value that was added last. */
  last(): { readonly kind: number; readonly number: number } {
    const at = this.count - 1;
    return { kind: this.kinds.at(at), number: this.numbers.at(at) };
  }

  /** The event of the value that was added last; -1 before the first. */
  get lastEvent(): number {
    return this.count === 0 ? -1 : this.events.at(this.count - 1);
  }

  /** The number of the text of an event; -1 for any other value. Events must have come ascending. */
  textOf(event: number): number | undefined {
    const { events, kinds, numbers } = this;
    const isLast = this.lastEvent === event;
    const at = isLast ? this.count - 1 : lastAtMost(event, this.count, (index) => events.at(index));
    if (at < 0 || events.at(at) !== event) return undefined;
    return kinds.at(at) === ValueKind.string ? numbers.at(at) : -1;
  }

  /** Adds a value that is no integer of more than 53 bits. */
  add(event: number, kind: number, number: number): void {
    this.events.push(event);
    this.kinds.push(kind);
    this.numbers.push(number);
  }

  /** Adds an integer of any size. */
  addInteger(event: number, value: bigint): void {
    const number = Number(value);
    this.add(event, ValueKind.integer, number);
    if (Number.isSafeInteger(number)) return;
    const fits = BigInt.asIntN(64, value) === value;
    this.integers.push(fits ? value : 0n);
    if (!fits) this.large.set(event, value);
  }

  /** Adds a value of another column, with its integer where the number may be rounded. */
  copy(event: number, kind: number, number: number, integer: bigint | undefined): void {
    if (integer === undefined) this.add(event, kind, number);
    else this.addInteger(event, integer);
  }

  /** Calls back for each value in turn; with the integer where its number may be rounded. */
  forEach(call: Take): void {
    const [events, kinds, numbers] = [this.events.view(), this.kinds.view(), this.numbers.view()];
    const integers = this.integers.view();
    let next = 0;
    for (let index = 0; index < events.length; index++) {
      const [event, kind, number] = [
        at(events, index),
        itemAt(kinds, index),
        itemAt(numbers, index),
      ];
      const isRounded = kind === ValueKind.integer && !Number.isSafeInteger(number);
      const integer = isRounded ? itemAt(integers, next++) : undefined;
      call(event, kind, number, isRounded ? (this.large.get(event) ?? integer) : undefined);
    }
  }

  /** The column of a session of `size` events, in which event i stands at `placeOf(i)`; -1 is out. */
  build(size: number, placeOf: (event: number) => number): Column | undefined {
    const events = this.events.view();
    if (!events.some((event) => placeOf(event) >= 0)) return undefined;
    if (events.length * SPARSE >= size) return this.lay(size, placeOf);
    const placed = events
      .map(placeOf)
      .filter((position) => position >= 0)
      .sort();
    const indexOf = (position: number) => (position < 0 ? -1 : firstFrom(placed, position));
    const values = this.lay(placed.length, (event) => indexOf(placeOf(event)));
    return new SparseColumn(size, placed, values);
  }

  /** The column with a place for each event. */
  lay(size: number, placeOf: (event: number) => number): Column {
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const isExact = this.integers.length === 0;
    const integers = new BigInt64Array(isExact ? 0 : size);
    const large = new Map<number, bigint>();
    this.forEach((event, kind, number, integer) => {
      const position = placeOf(event);
      if (position < 0) return;
      kinds[position] = kind;
      numbers[position] = number;
      if (isExact || kind !== ValueKind.integer) return;
      integers[position] = integer ?? BigInt(number);
      if (this.large.has(event)) large.set(position, integer as bigint);
    });
    return { kinds, numbers, ...(!isExact && { exact: { integers, large } }) };
  }
}
