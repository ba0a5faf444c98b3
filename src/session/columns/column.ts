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
    const kind = kinds[event] as number;
    if (kind !== ValueKind.missing)
      take(event, kind, numbers[event] as number, roundedAt(column, event));
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
    this.full = column.lay(size);
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
  if (shared === undefined || shared.count === 0) return single?.build(size, place);
  const { start, events } = rows;
  let count = single?.count ?? 0;
  shared.forEach((row) => {
    count += at(start, row + 1) - at(start, row);
  });
  if (count * SPARSE >= size) {
    const values = shared.build(start.length - 1) as Column;
    return new SharedColumn(rows, values, single?.build(size, place));
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
  return all.build(size);
}

/** A column of which fewer than one in so many events have a value is sparse. */
const SPARSE = 8;

/** How long a list is made when it is full. */
function grown(length: number): number {
  return length + (length >> 1);
}

/** A list of numbers of 32 bits that grows at its end. */
export class Growing {
  private items = new Int32Array(4);
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) {
      const items = new Int32Array(grown(this.length));
      items.set(this.items);
      this.items = items;
    }
    this.items[this.length++] = item;
  }

  /** The item at a place that there is. */
  at(index: number): number {
    return this.items[index] as number;
  }

  /** The items; not a copy, and of this moment only. */
  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }
}

/** The same for 64 bits. One class for all kinds takes several times as long: V8 compiles it for any of them. */
export class GrowingLong {
  private items = new BigInt64Array(4);
  length = 0;

  push(item: bigint): void {
    if (this.length === this.items.length) {
      const items = new BigInt64Array(grown(this.length));
      items.set(this.items);
      this.items = items;
    }
    this.items[this.length++] = item;
  }

  at(index: number): bigint {
    return this.items[index] as bigint;
  }
}

/**
 * A column that is being read: the values in the order in which they came, each with the number
 * of its event. It costs only for the events that have the attribute.
 */
export class GrowingColumn {
  count = 0;
  private events = new Int32Array(4);
  private kinds = new Uint8Array(4);
  private numbers = new Float64Array(4);
  /** The integers whose numbers may be rounded, in their order; 0 for those of more than 64 bits. */
  private readonly integers = new GrowingLong();
  /** By event. */
  private readonly large = new Map<number, bigint>();

  /** The kind and the number of the value that was added last. */
  get lastKind(): number {
    return this.kinds[this.count - 1] as number;
  }

  get lastNumber(): number {
    return this.numbers[this.count - 1] as number;
  }

  /** The event of the value that was added last; -1 before the first. */
  get lastEvent(): number {
    return this.count === 0 ? -1 : (this.events[this.count - 1] as number);
  }

  /** The number of the text of an event; -1 for any other value. Events must have come ascending. */
  textOf(event: number): number | undefined {
    const { events, kinds, numbers } = this;
    const isLast = this.lastEvent === event;
    const place = isLast
      ? this.count - 1
      : lastAtMost(event, this.count, (index) => at(events, index));
    if (place < 0 || events[place] !== event) return undefined;
    return kinds[place] === ValueKind.string ? numbers[place] : -1;
  }

  /** Adds a value that is no integer of more than 53 bits. */
  add(event: number, kind: number, number: number): void {
    const { count } = this;
    if (count === this.events.length) {
      const { events, kinds, numbers } = this;
      this.events = new Int32Array(grown(count));
      this.kinds = new Uint8Array(grown(count));
      this.numbers = new Float64Array(grown(count));
      this.events.set(events);
      this.kinds.set(kinds);
      this.numbers.set(numbers);
    }
    this.events[count] = event;
    this.kinds[count] = kind;
    this.numbers[count] = number;
    this.count++;
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
    let next = 0;
    for (let index = 0; index < this.count; index++) {
      const [event, kind] = [this.events[index] as number, this.kinds[index] as number];
      const number = this.numbers[index] as number;
      const isRounded = kind === ValueKind.integer && !Number.isSafeInteger(number);
      const integer = isRounded ? this.integers.at(next++) : undefined;
      call(event, kind, number, isRounded ? (this.large.get(event) ?? integer) : undefined);
    }
  }

  /** The column of a session of `size` events, in which event i stands at `place[i]`, or at i; -1 is out. */
  build(size: number, place?: Int32Array): Column | undefined {
    const places = this.events.slice(0, this.count);
    if (place !== undefined) {
      for (let index = 0; index < places.length; index++) {
        places[index] = at(place, at(places, index));
      }
    }
    if (!places.some((one) => one >= 0)) return undefined;
    if (places.length * SPARSE >= size) return this.lay(size, places);
    const kept = places.filter((one) => one >= 0).sort();
    const indexes = places.map((one) => (one < 0 ? -1 : firstFrom(kept, one)));
    return new SparseColumn(size, kept, this.lay(kept.length, indexes));
  }

  /** The column of `size` events, with a place for each value; -1 is out. */
  lay(size: number, places: Int32Array = this.events): Column {
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const isExact = this.integers.length === 0;
    const integers = new BigInt64Array(isExact ? 0 : size);
    const large = new Map<number, bigint>();
    let next = 0;
    for (let index = 0; index < this.count; index++) {
      const [place, kind] = [at(places, index), this.kinds[index] as number];
      const number = this.numbers[index] as number;
      const isInteger = !isExact && kind === ValueKind.integer;
      const isRounded = isInteger && !Number.isSafeInteger(number);
      const rounded = isRounded ? next++ : -1;
      if (place < 0) continue;
      kinds[place] = kind;
      numbers[place] = number;
      if (!isInteger) continue;
      const more = isRounded ? this.large.get(at(this.events, index)) : undefined;
      if (more !== undefined) large.set(place, more);
      integers[place] = more ?? (isRounded ? this.integers.at(rounded) : BigInt(number));
    }
    return { kinds, numbers, ...(!isExact && { exact: { integers, large } }) };
  }
}
