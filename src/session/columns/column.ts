import { at, itemAt, lastAtMost } from '../../source/index.js';
import { type Column, type ExactIntegers, ValueKind } from '../session.js';
import { BITS, Growing, GrowingLong, LAST, Narrow, nextLength, PIECE } from './growing.js';

/** Returns the exact integer at an event; the event's value must be one. */
export function integerAt({ numbers, exact }: Column, event: number): bigint {
  return exact === undefined
    ? BigInt(itemAt(numbers, event))
    : (exact.large.get(event) ?? itemAt(exact.integers, event));
}

/** Returns the integer at an event, if its number may be rounded; undefined for any other value. */
export function roundedAt(column: Column, event: number): bigint | undefined {
  if (column.exact === undefined || Number.isSafeInteger(itemAt(column.numbers, event))) {
    return undefined;
  }
  return itemAt(column.kinds, event) === ValueKind.integer ? integerAt(column, event) : undefined;
}

/** Receives a value; `exact` is set if the number of an integer may be rounded. */
type Take = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/** A column that is laid out over all events on first use; until then its values have another form. */
class LazyColumn implements Column {
  private full: Column | undefined;

  constructor(private lay: (() => Column) | undefined) {}

  private get column(): Column {
    this.full ??= this.lay?.() as Column;
    this.lay = undefined;
    return this.full;
  }

  get exact(): ExactIntegers | undefined {
    return this.column.exact;
  }

  get kinds(): Uint8Array {
    return this.column.kinds;
  }

  get numbers(): Float64Array {
    return this.column.numbers;
  }

  /** Visits values like `forEachValue`. */
  forEach(first: number, end: number, take: Take): void {
    forEachValue(this.column, first, end, take);
  }

  /** Lays all values out over a number of events. */
  protected spread(size: number): Column {
    const column = new GrowingColumn();
    this.forEach(0, size, (...value) => column.copy(...value));
    return column.lay(size);
  }
}

/** A column of an attribute that few events have. */
class SparseColumn extends LazyColumn {
  /** @param events ascending; `values` holds their values */
  constructor(
    size: number,
    readonly events: Int32Array,
    readonly values: Column,
  ) {
    super(() => this.spread(size));
  }

  override get exact(): ExactIntegers | undefined {
    return this.values.exact && super.exact;
  }

  override forEach(first: number, end: number, take: Take): void {
    const { events, values } = this;
    const [from, to] = [firstFrom(events, first), firstFrom(events, end)];
    forEachValue(values, from, to, (index, ...value) => take(at(events, index), ...value));
  }
}

/** Returns a column. If its source is final, the column is laid out later. */
export function columnOf(make: () => Column, isFinal: boolean): Column {
  return isFinal ? new LazyColumn(make) : make();
}

/**
 * Visits the values of the events from `first` up to but not including `end`, ascending. Does not lay out a column
 * that few events have.
 */
export function forEachValue(column: Column, first: number, end: number, take: Take): void {
  if (column instanceof LazyColumn) {
    column.forEach(first, end, take);
    return;
  }
  const { kinds, numbers } = column;
  for (let event = first; event < end; event++) {
    const kind = kinds[event] as number;
    if (kind !== ValueKind.missing)
      take(event, kind, numbers[event] as number, roundedAt(column, event));
  }
}

export function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the index of the first of ascending events at or above a limit. */
export function firstFrom(events: Int32Array, limit: number): number {
  return lastAtMost(limit - 1, events.length, (index) => at(events, index)) + 1;
}

/** Items by group, ascending within each. */
interface Grouped {
  /** For each group, the index of its first item in `members`; one more entry at the end. */
  readonly start: Int32Array;
  readonly members: Int32Array;
}

/** @param groupOf for each item, its group, below `groups`; -1 for none */
export function byGroup(groupOf: Int32Array, groups: number): Grouped {
  const start = new Int32Array(groups + 1);
  for (let thing = 0; thing < groupOf.length; thing++) {
    const group = at(groupOf, thing);
    if (group >= 0) start[group + 1] = at(start, group + 1) + 1;
  }
  for (let group = 0; group < groups; group++) {
    start[group + 1] = at(start, group + 1) + at(start, group);
  }
  const next = start.slice();
  const members = new Int32Array(at(start, groups));
  for (let thing = 0; thing < groupOf.length; thing++) {
    const group = at(groupOf, thing);
    if (group < 0) continue;
    const index = at(next, group);
    members[index] = thing;
    next[group] = index + 1;
  }
  return { start, members };
}

/** The rows of shared values that a session's events have. */
export interface RowsOfEvents {
  /** For each event, its row; -1 for none. */
  readonly own: Int32Array;
  /** For each row, the row of its origin; -1 for none. */
  readonly origins: Growing;
  /** The events of each row, row by row; `start` has one more entry at the end. */
  readonly start: Int32Array;
  readonly events: Int32Array;
}

/** A column of values that events share. */
class SharedColumn extends LazyColumn {
  constructor(
    private readonly rows: RowsOfEvents,
    /** By row. */
    private readonly values: Column,
    /** By event, those that are not shared. */
    private readonly single: Column | undefined,
  ) {
    super(() => this.spread(rows.own.length));
  }

  override get exact(): ExactIntegers | undefined {
    return (this.values.exact ?? this.single?.exact) && super.exact;
  }

  override forEach(first: number, end: number, take: Take): void {
    const { values, single } = this;
    const { own, origins } = this.rows;
    const base = values instanceof SparseColumn ? values.values : values;
    for (let event = first; event < end; event++) {
      const row = at(own, event);
      let [column, index] = [base, indexOfRow(values, row)];
      if (index < 0 && row >= 0) index = indexOfRow(values, origins.at(row));
      if (index < 0 && single !== undefined) [column, index] = [single, event];
      const kind = index < 0 ? ValueKind.missing : itemAt(column.kinds, index);
      if (kind === ValueKind.missing) continue;
      take(event, kind, itemAt(column.numbers, index), roundedAt(column, index));
    }
  }
}

/** Returns the index of a row's value in a column, or -1. */
function indexOfRow(values: Column, row: number): number {
  if (row < 0) return -1;
  if (!(values instanceof SparseColumn)) {
    return itemAt(values.kinds, row) === ValueKind.missing ? -1 : row;
  }
  const index = firstFrom(values.events, row);
  return index < values.events.length && at(values.events, index) === row ? index : -1;
}

/**
 * Returns the column of an attribute whose values belong to events, to rows that events share, or to both;
 * undefined if no event of the session has one.
 *
 * @param place for each event of `single`, its number in the session; -1 for an omitted one
 * @param isFinal true if nothing will be added: the column can then be laid out later
 */
export function joinColumns(
  size: number,
  place: Int32Array,
  single: GrowingColumn | undefined,
  shared: GrowingColumn | undefined,
  rows: RowsOfEvents,
  isFinal: boolean,
): Column | undefined {
  const { start } = rows;
  const hasOne =
    single?.some((event) => at(place, event) >= 0) === true ||
    shared?.some((row) => at(start, row) < at(start, row + 1)) === true;
  if (!hasOne) return undefined;
  return columnOf(() => layColumns(size, place, single, shared, rows), isFinal);
}

function layColumns(
  size: number,
  place: Int32Array,
  single: GrowingColumn | undefined,
  shared: GrowingColumn | undefined,
  rows: RowsOfEvents,
): Column {
  if (shared === undefined || shared.count === 0)
    return (single as GrowingColumn).build(size, place);
  const { start, events } = rows;
  let count = single?.count ?? 0;
  shared.forEach((row) => {
    count += at(start, row + 1) - at(start, row);
  });
  if (count * SPARSE >= size) {
    return new SharedColumn(rows, shared.build(start.length - 1), single?.build(size, place));
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

/** A column is sparse if fewer than one in this many events have a value. */
const SPARSE = 8;

/** Values of a column, each with the number of its event. */
class Values {
  private readonly kinds: Uint8Array;
  private readonly numbers: Narrow;
  private first = 0;
  /** The distance of each event from the first one, less its index here: small if most events have a value. */
  private readonly gaps: Narrow;

  constructor(readonly length: number) {
    this.kinds = new Uint8Array(length);
    this.numbers = new Narrow(length);
    this.gaps = new Narrow(length);
  }

  event(index: number): number {
    return this.first + index + this.gaps.at(index);
  }

  kind(index: number): number {
    return this.kinds[index] as number;
  }

  number(index: number): number {
    return this.numbers.at(index);
  }

  /** Adds a value after the existing ones. */
  put(index: number, event: number, kind: number, number: number): void {
    if (index === 0) this.first = event;
    this.gaps.put(index, event - this.first - index);
    this.kinds[index] = kind;
    this.numbers.put(index, number);
  }

  /** Replaces the number of an existing value. */
  replace(index: number, number: number): void {
    this.numbers.put(index, number);
  }
}

/** The kind, while reading, of an integer whose number may be rounded; its exact value is in `integers`. */
const ROUNDED = 0xff;

/**
 * A column that is being read: the values in order of arrival, each with the number of its event. Only events that
 * have the attribute take memory.
 */
export class GrowingColumn {
  count = 0;
  private readonly pieces: Values[] = [];
  private last = new Values(0);
  private filled = 0;
  /** The integers whose numbers may be rounded, in order; 0 for those of more than 64 bits. */
  private readonly integers = new GrowingLong();
  /** By event. */
  private readonly large = new Map<number, bigint>();
  /** The last event added, -1 before the first, and its value. */
  lastEvent = -1;
  lastKind: number = ValueKind.missing;
  lastNumber = 0;

  /** Returns the index of an event's text; -1 for any other value. Events must have been added ascending. */
  textOf(event: number): number | undefined {
    const eventAt = (index: number) => this.pieceOf(index).event(index & LAST);
    const isLast = this.lastEvent === event;
    const place = isLast ? this.count - 1 : lastAtMost(event, this.count, eventAt);
    if (place < 0 || eventAt(place) !== event) return undefined;
    const piece = this.pieceOf(place);
    return piece.kind(place & LAST) === ValueKind.string ? piece.number(place & LAST) : -1;
  }

  private pieceOf(index: number): Values {
    return this.pieces[index >> BITS] as Values;
  }

  /** Adds a value other than an integer of more than 53 bits. */
  add(event: number, kind: number, number: number): void {
    this.put(event, kind, number);
    this.lastEvent = event;
    this.lastKind = kind;
    this.lastNumber = number;
  }

  private put(event: number, kind: number, number: number): void {
    if (this.filled === this.last.length) this.grow();
    this.last.put(this.filled++, event, kind, number);
    this.count++;
  }

  private grow(): void {
    const { pieces, last } = this;
    const { length } = last;
    this.last = new Values(nextLength(length));
    if (length === PIECE) this.filled = 0;
    else
      for (let index = 0; index < length; index++)
        this.last.put(index, last.event(index), last.kind(index), last.number(index));
    pieces[length < PIECE ? 0 : pieces.length] = this.last;
  }

  /** Adds an integer of any size. */
  addInteger(event: number, value: bigint): void {
    const number = Number(value);
    if (Number.isSafeInteger(number)) {
      this.add(event, ValueKind.integer, number);
      return;
    }
    const fits = BigInt.asIntN(64, value) === value;
    this.integers.push(fits ? value : 0n);
    if (!fits) this.large.set(event, value);
    this.put(event, ROUNDED, 0);
    this.lastEvent = event;
    this.lastKind = ValueKind.integer;
    this.lastNumber = number;
  }

  /** Adds a value of another column, with its integer if the number may be rounded. */
  copy(event: number, kind: number, number: number, integer: bigint | undefined): void {
    if (integer === undefined) this.add(event, kind, number);
    else this.addInteger(event, integer);
  }

  /** Replaces texts, by their indices. */
  replaceTexts(texts: ReadonlyMap<number, number>): void {
    for (let index = 0; texts.size > 0 && index < this.count; index++) {
      const piece = this.pieceOf(index);
      const place = index & LAST;
      const text = texts.get(piece.number(place));
      if (text !== undefined && piece.kind(place) === ValueKind.string) piece.replace(place, text);
    }
  }

  /** Visits each value in turn, with the integer if its number may be rounded. */
  forEach(call: Take): void {
    let next = 0;
    for (let index = 0; index < this.count; index++) {
      const piece = this.pieceOf(index);
      const place = index & LAST;
      const [event, kind] = [piece.event(place), piece.kind(place)];
      if (kind !== ROUNDED) {
        call(event, kind, piece.number(place), undefined);
        continue;
      }
      const own = this.integers.at(next++);
      const integer = this.large.get(event) ?? own;
      call(event, ValueKind.integer, Number(integer), integer);
    }
  }

  /** True if one of its events, or rows, is wanted. */
  some(isWanted: (event: number) => boolean): boolean {
    for (let index = 0; index < this.count; index++) {
      if (isWanted(this.pieceOf(index).event(index & LAST))) return true;
    }
    return false;
  }

  /** Builds the column of a session of `size` events. Event i is at `place[i]`, or at i; -1 omits it. */
  build(size: number, place?: Int32Array): Column {
    const placeOf = (event: number) => (place === undefined ? event : at(place, event));
    if (this.count * SPARSE >= size) return this.lay(size, placeOf);
    const places = new Growing();
    this.forEach((event) => {
      if (placeOf(event) >= 0) places.push(placeOf(event));
    });
    const kept = places.toArray().sort();
    const indexOf = (event: number) => {
      const own = placeOf(event);
      return own < 0 ? -1 : firstFrom(kept, own);
    };
    return new SparseColumn(size, kept, this.lay(kept.length, indexOf));
  }

  /** Builds the column of `size` events, with the position of each; -1 omits it. */
  lay(size: number, placeOf = (event: number) => event): Column {
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const isExact = this.integers.length === 0;
    const integers = new BigInt64Array(isExact ? 0 : size);
    const large = new Map<number, bigint>();
    this.forEach((event, kind, number, integer) => {
      const place = placeOf(event);
      if (place < 0) return;
      kinds[place] = kind;
      numbers[place] = number;
      if (isExact || kind !== ValueKind.integer) return;
      if (integer !== undefined && BigInt.asIntN(64, integer) !== integer)
        large.set(place, integer);
      integers[place] = integer ?? BigInt(number);
    });
    return { kinds, numbers, ...(!isExact && { exact: { integers, large } }) };
  }
}
