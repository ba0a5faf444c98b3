import { at, itemAt, lastIndexAtMost } from '../../source/index.js';
import { type Column, type ExactIntegers, ValueKind } from '../session.js';
import {
  GrowingBigIntList,
  GrowingList,
  NarrowList,
  nextLength,
  PIECE_BITS,
  PIECE_LENGTH,
  PIECE_MASK,
} from './growing.js';

/** Returns an event's exact integer. The event's value must be an integer. */
export function integerAt({ numbers, exact }: Column, event: number): bigint {
  return exact === undefined
    ? BigInt(itemAt(numbers, event))
    : (exact.bigIntegers.get(event) ?? itemAt(exact.integers, event));
}

/** Returns an event's exact integer if its number may be rounded; undefined for any other value. */
export function roundedIntegerAt(column: Column, event: number): bigint | undefined {
  if (column.exact === undefined || Number.isSafeInteger(itemAt(column.numbers, event))) {
    return undefined;
  }
  return itemAt(column.kinds, event) === ValueKind.integer ? integerAt(column, event) : undefined;
}

/** A callback for a value. `exact` is the exact integer if `number` may be rounded. */
type VisitValue = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/** A column laid out over all events on first use. Until then, the values are stored in a different layout. */
class LazyColumn implements Column {
  private laidOut: Column | undefined;

  constructor(private lay: (() => Column) | undefined) {}

  private get column(): Column {
    this.laidOut ??= this.lay?.() as Column;
    this.lay = undefined;
    return this.laidOut;
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
  forEach(first: number, end: number, visit: VisitValue): void {
    forEachValue(this.column, first, end, visit);
  }

  /** Lays the values out over `size` events. */
  protected spread(size: number): Column {
    const column = new GrowingColumn();
    this.forEach(0, size, (...value) => column.copy(...value));
    return column.lay(size);
  }
}

/** A column of an attribute that few events have. */
class SparseColumn extends LazyColumn {
  /**
   * @param events the events with values, ascending
   * @param values the values of `events`
   */
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

  override forEach(first: number, end: number, visit: VisitValue): void {
    const { events, values } = this;
    const [from, to] = [findLowerBound(events, first), findLowerBound(events, end)];
    forEachValue(values, from, to, (index, ...value) => visit(at(events, index), ...value));
  }
}

/** Builds a column. Postpones building it until first use if the source is final. */
export function columnFrom(build: () => Column, isFinal: boolean): Column {
  return isFinal ? new LazyColumn(build) : build();
}

/**
 * Visits the values of events `first` up to but not including `end`, in ascending order. Does not lay out sparse or
 * shared columns.
 */
export function forEachValue(column: Column, first: number, end: number, visit: VisitValue): void {
  if (column instanceof LazyColumn) {
    column.forEach(first, end, visit);
    return;
  }
  const { kinds, numbers } = column;
  for (let event = first; event < end; event++) {
    const kind = kinds[event] as number;
    if (kind !== ValueKind.missing)
      visit(event, kind, numbers[event] as number, roundedIntegerAt(column, event));
  }
}

export function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the index of the first event not less than `limit`. `events` must be ascending. */
export function findLowerBound(events: Int32Array, limit: number): number {
  return lastIndexAtMost(limit - 1, events.length, (index) => at(events, index)) + 1;
}

/** Items by group, ascending within each group. */
interface Groups {
  /** For each group, the index of its first item in `members`; the last entry is the number of items. */
  readonly start: Int32Array;
  readonly members: Int32Array;
}

/** Sorts items by group. @param groupOf each item's group, less than `groups`; -1 for none */
export function groupItems(groupOf: Int32Array, groups: number): Groups {
  const start = new Int32Array(groups + 1);
  for (let item = 0; item < groupOf.length; item++) {
    const group = at(groupOf, item);
    if (group >= 0) start[group + 1] = at(start, group + 1) + 1;
  }
  for (let group = 0; group < groups; group++) {
    start[group + 1] = at(start, group + 1) + at(start, group);
  }
  const cursor = start.slice();
  const members = new Int32Array(at(start, groups));
  for (let item = 0; item < groupOf.length; item++) {
    const group = at(groupOf, item);
    if (group < 0) continue;
    const index = at(cursor, group);
    members[index] = item;
    cursor[group] = index + 1;
  }
  return { start, members };
}

/** The rows of shared values used by a session's events. */
export interface EventRows {
  /** For each event, its row; -1 for none. */
  readonly rowOf: Int32Array;
  /** For each row, the row of its origin; -1 for none. */
  readonly origins: GrowingList;
  /** The events of each row, as compressed sparse rows. */
  readonly start: Int32Array;
  readonly events: Int32Array;
}

/** The column of an attribute whose values events share. */
class SharedColumn extends LazyColumn {
  constructor(
    private readonly rows: EventRows,
    /** The shared values, by row. */
    private readonly values: Column,
    /** The values that are not shared, by event. */
    private readonly eventValues: Column | undefined,
  ) {
    super(() => this.spread(rows.rowOf.length));
  }

  override get exact(): ExactIntegers | undefined {
    return (this.values.exact ?? this.eventValues?.exact) && super.exact;
  }

  override forEach(first: number, end: number, visit: VisitValue): void {
    const { values, eventValues } = this;
    const { rowOf, origins } = this.rows;
    const base = values instanceof SparseColumn ? values.values : values;
    for (let event = first; event < end; event++) {
      const row = at(rowOf, event);
      let [column, index] = [base, indexOfRow(values, row)];
      if (index < 0 && row >= 0) index = indexOfRow(values, origins.at(row));
      if (index < 0 && eventValues !== undefined) [column, index] = [eventValues, event];
      const kind = index < 0 ? ValueKind.missing : itemAt(column.kinds, index);
      if (kind === ValueKind.missing) continue;
      visit(event, kind, itemAt(column.numbers, index), roundedIntegerAt(column, index));
    }
  }
}

/** Returns the index of a row's value in a column, or -1. */
function indexOfRow(values: Column, row: number): number {
  if (row < 0) return -1;
  if (!(values instanceof SparseColumn)) {
    return itemAt(values.kinds, row) === ValueKind.missing ? -1 : row;
  }
  const index = findLowerBound(values.events, row);
  return index < values.events.length && at(values.events, index) === row ? index : -1;
}

/**
 * Joins an attribute's event values and shared row values in one column; returns undefined if no event of the session
 * has a value.
 *
 * @param positions each table event's index in the session; -1 if omitted
 * @param isFinal true if nothing will be added, so the column can be laid out on first use
 */
export function joinColumns(
  size: number,
  positions: Int32Array,
  eventColumn: GrowingColumn | undefined,
  rowColumn: GrowingColumn | undefined,
  rows: EventRows,
  isFinal: boolean,
): Column | undefined {
  const { start } = rows;
  const hasValue =
    eventColumn?.someEvent((event) => at(positions, event) >= 0) === true ||
    rowColumn?.someEvent((row) => at(start, row) < at(start, row + 1)) === true;
  if (!hasValue) return undefined;
  return columnFrom(() => layColumns(size, positions, eventColumn, rowColumn, rows), isFinal);
}

function layColumns(
  size: number,
  positions: Int32Array,
  eventColumn: GrowingColumn | undefined,
  rowColumn: GrowingColumn | undefined,
  rows: EventRows,
): Column {
  if (rowColumn === undefined || rowColumn.count === 0)
    return (eventColumn as GrowingColumn).build(size, positions);
  const { start, events } = rows;
  let count = eventColumn?.count ?? 0;
  rowColumn.forEach((row) => {
    count += at(start, row + 1) - at(start, row);
  });
  if (count * SPARSE >= size) {
    return new SharedColumn(
      rows,
      rowColumn.build(start.length - 1),
      eventColumn?.build(size, positions),
    );
  }
  const joined = new GrowingColumn();
  eventColumn?.forEach((event, ...value) => {
    joined.copy(at(positions, event), ...value);
  });
  rowColumn.forEach((row, ...value) => {
    for (let at = start[row] as number; at < (start[row + 1] as number); at++) {
      joined.copy(events[at] as number, ...value);
    }
  });
  return joined.build(size);
}

/** The number of events per value above which a column is sparse. */
const SPARSE = 8;

/** A column's values, each with its event's index. */
class Values {
  private readonly kinds: Uint8Array;
  private readonly numbers: NarrowList;
  private first = 0;
  /** Each event's distance from the first event, minus its index in this list. Small if most events have a value. */
  private readonly gaps: NarrowList;

  constructor(readonly length: number) {
    this.kinds = new Uint8Array(length);
    this.numbers = new NarrowList(length);
    this.gaps = new NarrowList(length);
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

  /** Sets the value at an index. Call with ascending indexes. */
  append(index: number, event: number, kind: number, number: number): void {
    if (index === 0) this.first = event;
    this.gaps.set(index, event - this.first - index);
    this.kinds[index] = kind;
    this.numbers.set(index, number);
  }

  /** Replaces the number of an existing value. */
  replace(index: number, number: number): void {
    this.numbers.set(index, number);
  }
}

/** The temporary kind of an integer whose number may be rounded. The exact value is in `integers`. */
const ROUNDED_INTEGER = 0xff;

/**
 * A column under construction. Stores values in order of arrival, each with its event's index. Events without the
 * attribute require no memory.
 */
export class GrowingColumn {
  count = 0;
  private readonly pieces: Values[] = [];
  private lastPiece = new Values(0);
  private lastLength = 0;
  /** The integers whose numbers may be rounded, in order of arrival; 0 for integers of more than 64 bits. */
  private readonly integers = new GrowingBigIntList();
  /** The integers of more than 64 bits, by event. */
  private readonly bigIntegers = new Map<number, bigint>();
  /** The last added event, or -1, and its value. */
  lastEvent = -1;
  lastKind: number = ValueKind.missing;
  lastNumber = 0;

  /**
   * Returns the index of an event's text; -1 for another kind of value, undefined for no value. Events must have been
   * added in ascending order.
   */
  textOf(event: number): number | undefined {
    const eventAt = (index: number) => this.pieceOf(index).event(index & PIECE_MASK);
    const isLast = this.lastEvent === event;
    const last = isLast ? this.count - 1 : lastIndexAtMost(event, this.count, eventAt);
    if (last < 0 || eventAt(last) !== event) return undefined;
    const piece = this.pieceOf(last);
    return piece.kind(last & PIECE_MASK) === ValueKind.string
      ? piece.number(last & PIECE_MASK)
      : -1;
  }

  private pieceOf(index: number): Values {
    return this.pieces[index >> PIECE_BITS] as Values;
  }

  /** Adds a value. Use `addInteger` for integers of more than 53 bits. */
  add(event: number, kind: number, number: number): void {
    this.append(event, kind, number);
    this.lastEvent = event;
    this.lastKind = kind;
    this.lastNumber = number;
  }

  private append(event: number, kind: number, number: number): void {
    if (this.lastLength === this.lastPiece.length) this.grow();
    this.lastPiece.append(this.lastLength++, event, kind, number);
    this.count++;
  }

  private grow(): void {
    const { pieces, lastPiece } = this;
    const { length } = lastPiece;
    this.lastPiece = new Values(nextLength(length));
    if (length === PIECE_LENGTH) this.lastLength = 0;
    else
      for (let index = 0; index < length; index++)
        this.lastPiece.append(
          index,
          lastPiece.event(index),
          lastPiece.kind(index),
          lastPiece.number(index),
        );
    pieces[length < PIECE_LENGTH ? 0 : pieces.length] = this.lastPiece;
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
    if (!fits) this.bigIntegers.set(event, value);
    this.append(event, ROUNDED_INTEGER, 0);
    this.lastEvent = event;
    this.lastKind = ValueKind.integer;
    this.lastNumber = number;
  }

  /** Adds a value from another column. `integer` is the exact integer if `number` may be rounded. */
  copy(event: number, kind: number, number: number, integer: bigint | undefined): void {
    if (integer === undefined) this.add(event, kind, number);
    else this.addInteger(event, integer);
  }

  /** Replaces texts. `texts` maps old to new text indices. */
  replaceTexts(texts: ReadonlyMap<number, number>): void {
    for (let index = 0; texts.size > 0 && index < this.count; index++) {
      const piece = this.pieceOf(index);
      const offset = index & PIECE_MASK;
      const text = texts.get(piece.number(offset));
      if (text !== undefined && piece.kind(offset) === ValueKind.string)
        piece.replace(offset, text);
    }
  }

  /** Visits the values in order of arrival, with the exact integer if the number may be rounded. */
  forEach(visit: VisitValue): void {
    let integerIndex = 0;
    for (let index = 0; index < this.count; index++) {
      const piece = this.pieceOf(index);
      const offset = index & PIECE_MASK;
      const [event, kind] = [piece.event(offset), piece.kind(offset)];
      if (kind !== ROUNDED_INTEGER) {
        visit(event, kind, piece.number(offset), undefined);
        continue;
      }
      const rounded = this.integers.at(integerIndex++);
      const integer = this.bigIntegers.get(event) ?? rounded;
      visit(event, ValueKind.integer, Number(integer), integer);
    }
  }

  /** True if `matches` accepts any event or row with a value. */
  someEvent(matches: (event: number) => boolean): boolean {
    for (let index = 0; index < this.count; index++) {
      if (matches(this.pieceOf(index).event(index & PIECE_MASK))) return true;
    }
    return false;
  }

  /**
   * Builds the column of a session with `size` events. Event i moves to `positions[i]` (default: i); -1 omits the
   * event.
   */
  build(size: number, positions?: Int32Array): Column {
    const positionOf = (event: number) => (positions === undefined ? event : at(positions, event));
    if (this.count * SPARSE >= size) return this.lay(size, positionOf);
    const keptPositions = new GrowingList();
    this.forEach((event) => {
      if (positionOf(event) >= 0) keptPositions.push(positionOf(event));
    });
    const sortedPositions = keptPositions.toArray().sort();
    const indexOf = (event: number) => {
      const position = positionOf(event);
      return position < 0 ? -1 : findLowerBound(sortedPositions, position);
    };
    return new SparseColumn(size, sortedPositions, this.lay(sortedPositions.length, indexOf));
  }

  /** Builds a column of `size` entries, never a sparse column. Position -1 omits an event. */
  lay(size: number, positionOf = (event: number) => event): Column {
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const isExact = this.integers.length === 0;
    const integers = new BigInt64Array(isExact ? 0 : size);
    const bigIntegers = new Map<number, bigint>();
    this.forEach((event, kind, number, integer) => {
      const position = positionOf(event);
      if (position < 0) return;
      kinds[position] = kind;
      numbers[position] = number;
      if (isExact || kind !== ValueKind.integer) return;
      if (integer !== undefined && BigInt.asIntN(64, integer) !== integer)
        bigIntegers.set(position, integer);
      integers[position] = integer ?? BigInt(number);
    });
    return { kinds, numbers, ...(!isExact && { exact: { integers, bigIntegers } }) };
  }
}
