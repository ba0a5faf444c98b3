import { at, lastIndexAtMost } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { type RecordPosition, SessionError } from '../problem.js';
import { ValueKind } from '../session.js';
import { type EventRows, GrowingColumn } from './column.js';
import { GrowingList } from './growing.js';

/**
 * A reference to an event: an id; or a probe, a timeline name and a `seq`. On a timeline without `seq`, the last item
 * is the event's zero-based position. The timeline name may be omitted if the timeline is unnamed or the probe's only
 * timeline.
 */
export type EventReference =
  | string
  | readonly [probe: string, seq: bigint]
  | readonly [probe: string, timeline: string, seq: bigint];

/** An interaction's reference to an event: an index in the table, or a reference from a record. */
export type Reference = number | EventReference;

/** Optional numbers of consecutive items. Allocates no memory until a number is set. */
class OptionalNumbers {
  private readonly items = new GrowingList();

  constructor(private readonly none: number) {}

  /** Sets an item's number. Call with ascending indexes. */
  set(index: number, item: number): void {
    if (item === this.none) return;
    while (this.items.length < index) this.items.push(this.none);
    this.items.push(item);
  }

  at(index: number): number {
    return index < this.items.length ? this.items.at(index) : this.none;
  }

  /** Removes the numbers of all items from index `length` on. */
  truncate(length: number): void {
    this.items.length = Math.min(length, this.items.length);
  }
}

/** Interactions in order of arrival. */
class Interactions {
  /** The sender and the receiver of each interaction: an event or, if negative, a reference. */
  private readonly ends = new GrowingList();
  /** Each interaction's line; 0 for none. */
  readonly lines = new OptionalNumbers(0);
  /** The zero-based index of each interaction's file. */
  readonly files = new OptionalNumbers(0);
  private readonly references: EventReference[] = [];

  get length(): number {
    return this.ends.length / 2;
  }

  push(from: Reference, to: Reference, line: number, file: number): void {
    this.lines.set(this.length, line);
    this.files.set(this.length, file);
    this.pushEnd(from);
    this.pushEnd(to);
  }

  private pushEnd(end: Reference): void {
    this.ends.push(typeof end === 'number' ? end : -this.references.push(end));
  }

  /** Sets an interaction's two events by index. */
  settle(index: number, from: number, to: number): void {
    this.ends.set(2 * index, from);
    this.ends.set(2 * index + 1, to);
  }

  /** Removes all interactions from index `length` on. These interactions must refer to events by index. */
  truncate(length: number): void {
    this.ends.length = 2 * length;
    this.lines.truncate(length);
    this.files.truncate(length);
  }

  from(index: number): Reference {
    return this.endAt(2 * index);
  }

  to(index: number): Reference {
    return this.endAt(2 * index + 1);
  }

  private endAt(index: number): Reference {
    const end = this.ends.at(index);
    return end < 0 ? (this.references[-end - 1] as EventReference) : end;
  }
}

/** Maximum number of entries in a Map in V8. */
const MAX_KEYS = 2 ** 24;

/** Events and interactions in columns, in order of arrival. */
export class EventTable {
  readonly texts: string[] = [];
  private readonly textNumbers = new Map<string, number>();
  /** The index of each event's probe in `texts`. */
  readonly probes = new GrowingList();
  /** The index of each event's timeline in `texts`; -1 for none. */
  readonly timelines = new GrowingList();
  /** Each event's line; 0 for none. */
  readonly lines = new OptionalNumbers(0);
  readonly columns = new Map<string, GrowingColumn>();
  /** Values that events share, in rows. An event may have one row, which includes the values of the row's origin. */
  readonly sharedColumns = new Map<string, GrowingColumn>();
  /** The origin of each row, as a row; -1 for none. */
  private readonly origins = new GrowingList();
  /** Each event's row of shared values; -1 for none. */
  private readonly rows = new OptionalNumbers(-1);
  readonly name = this.column('name');
  readonly seq = this.column('seq');
  time = this.column('time');
  readonly eventById = new Map<string, number>();
  readonly interactions = new Interactions();
  /** For each file, the number of earlier events. */
  readonly files: number[] = [];
  readonly fileNames: (string | undefined)[] = [];
  /** The files whose events are newest first. */
  readonly reversedFiles = new Set<number>();
  /** Ranges of events, each written by one recorder in its clock's order. */
  readonly recorders: (readonly [first: number, end: number])[] = [];
  /** True if any file's format produces interactions. */
  isCausal = false;

  /** @param mostKeys the maximum number of different texts, and of ids */
  constructor(private readonly mostKeys = MAX_KEYS) {}

  /** The number of events. */
  get size(): number {
    return this.probes.length;
  }

  column(name: string): GrowingColumn {
    return getOrAddColumn(this.columns, name);
  }

  /** Replaces an attribute's values. `add` receives the new column and each old value. */
  rewrite(
    name: string,
    add: (column: GrowingColumn, ...value: Parameters<GrowingColumn['copy']>) => void,
  ): void {
    const column = new GrowingColumn();
    this.columns.get(name)?.forEach((...value) => {
      add(column, ...value);
    });
    this.columns.set(name, column);
    if (name === 'time') this.time = column;
  }

  /** Returns the column of an attribute's shared values, by row. Rows must be added in ascending order. */
  sharedColumn(name: string): GrowingColumn {
    return getOrAddColumn(this.sharedColumns, name);
  }

  /** Adds a row of shared values, which includes the values of row `origin` (-1 for none). Returns the row's index. */
  addRow(origin: number): number {
    this.origins.push(origin);
    return this.origins.length - 1;
  }

  /** Sets the last event's row of shared values. */
  share(row: number): void {
    this.rows.set(this.size - 1, row);
  }

  /** Returns the row of an event; -1 for none. */
  rowOf(event: number): number {
    return this.rows.at(event);
  }

  /** Returns the rows for a session of `size` events, in which event i of the table is at `positions[i]`. */
  rowsOfEvents(size: number, positions: Int32Array): EventRows {
    const { origins } = this;
    const hasRows = origins.length > 0;
    const rows = new Int32Array(hasRows ? size : 0).fill(-1);
    for (let event = 0; hasRows && event < positions.length; event++) {
      if (at(positions, event) >= 0) rows[at(positions, event)] = this.rowOf(event);
    }
    const start = new Int32Array(origins.length + 1);
    const forEachRow = (visit: (row: number, event: number) => void) => {
      for (let event = 0; event < rows.length; event++) {
        const row = at(rows, event);
        const origin = row < 0 ? -1 : origins.at(row);
        if (row >= 0) visit(row, event);
        if (origin >= 0) visit(origin, event);
      }
    };
    forEachRow((row) => {
      start[row + 1] = at(start, row + 1) + 1;
    });
    for (let row = 0; row < origins.length; row++)
      start[row + 1] = at(start, row + 1) + at(start, row);
    const cursor = start.slice();
    const events = new Int32Array(at(start, origins.length));
    forEachRow((row, event) => {
      events[at(cursor, row)] = event;
      cursor[row] = at(cursor, row) + 1;
    });
    return { rowOf: rows, origins, start, events };
  }

  /**
   * Returns a text's index in `texts`. Adds the text if it is new. Replaces unpaired surrogates with U+FFFD.
   *
   * @throws {SessionError} if the table would have too many texts
   */
  numberOf(text: string): number {
    const number = this.textNumbers.get(text);
    if (number !== undefined) return number;
    const wellFormed = text.toWellFormed();
    if (wellFormed !== text) return this.numberOf(wellFormed);
    this.expectRoom(this.textNumbers, 'distinct names and attribute values');
    this.textNumbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** Sets the id of an event. @throws {SessionError} if the table would have too many ids */
  addId(id: string, event: number): void {
    this.expectRoom(this.eventById, 'event ids');
    this.eventById.set(id, event);
  }

  private expectRoom({ size }: ReadonlyMap<string, number>, items: string): void {
    if (size < this.mostKeys) return;
    const limit = this.mostKeys.toLocaleString('en');
    const message = `the session has more than ${limit} ${items}, the maximum: split it, or omit texts that differ in every event`;
    throw new SessionError([{ message }]);
  }

  /** Starts the events of another file or, after all files, the events derived from the files. */
  beginFile(name?: string): void {
    this.files.push(this.size);
    this.fileNames.push(name);
  }

  /** Returns the file and line of an event's record. */
  locate(event: number): RecordPosition {
    const file = lastIndexAtMost(event, this.files.length, (index) => this.files[index] as number);
    return this.location(file, this.lines.at(event));
  }

  locateInteraction(index: number): RecordPosition {
    const { files, lines } = this.interactions;
    return this.location(files.at(index), lines.at(index));
  }

  private location(file: number, line: number): RecordPosition {
    return line === 0 ? {} : defined({ file: this.fileNames[file], line });
  }

  /** Adds an interaction. @param line the line in the file; 0 for none */
  addInteraction(from: Reference, to: Reference, line: number): void {
    const file = Math.max(0, this.files.length - 1);
    this.interactions.push(this.withOwnTexts(from), this.withOwnTexts(to), line, file);
  }

  /** Replaces a reference's probe and timeline with the table's copies, to store each text only once. */
  private withOwnTexts(reference: Reference): Reference {
    if (typeof reference !== 'object') return reference;
    const storedText = (text: string) => this.texts[this.numberOf(text)] as string;
    return reference.length === 2
      ? [storedText(reference[0]), reference[1]]
      : [storedText(reference[0]), storedText(reference[1]), reference[2]];
  }

  /** Adds an event, and returns its index. The caller then adds the event's values to the columns. */
  addEvent(probe: string, name: string, line: number, timeline?: string): number {
    const timelineIndex = timeline === undefined ? -1 : this.numberOf(timeline);
    return this.addIndexedEvent(this.numberOf(probe), this.numberOf(name), line, timelineIndex);
  }

  /** Adds an event by text indices (-1 for no timeline), and returns its index. */
  addIndexedEvent(probe: number, name: number, line: number, timeline: number): number {
    const event = this.size;
    this.probes.push(probe);
    this.timelines.push(timeline);
    this.lines.set(event, line);
    this.name.add(event, ValueKind.string, name);
    return event;
  }
}

function getOrAddColumn(columns: Map<string, GrowingColumn>, name: string): GrowingColumn {
  let column = columns.get(name);
  if (column === undefined) {
    column = new GrowingColumn();
    columns.set(name, column);
  }
  return column;
}
