import { itemAt } from '../../source/index.js';
import type { EventTable, Reference } from '../columns/event-table.js';
import type { GrowingColumn } from '../columns/growing-column.js';
import { Texts } from '../columns/texts.js';
import { RESERVED, ValueKind } from '../session.js';
import { LineScan } from './scan.js';

/** The keys of records, by the numbers that the switch below has. */
const KEYS = ['probe', 'name', 'attributes', 'seq', 'time', 'id', 'after', 'from', 'to'];

const FROM_AND_TO = (1 << KEYS.indexOf('from')) | (1 << KEYS.indexOf('to'));

/** Records with more attributes, or more senders, go the slow way. */
const MOST = 256;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const LITERALS: readonly (readonly [readonly number[], number])[] = [
  [[0x74, 0x72, 0x75, 0x65], 1],
  [[0x66, 0x61, 0x6c, 0x73, 0x65], 0],
];

/**
 * Reads lines that hold a right event or interaction in its common form straight into a table,
 * without making objects or strings of them. Any other line is left to `readLine`: `read` then
 * returns false and has added nothing.
 */
export class FastLines {
  private readonly table: EventTable;
  private readonly scan = new LineScan();
  private readonly keys = new Texts(false);
  private readonly names = new Texts();
  /** By number of an attribute's name; undefined for a reserved one. */
  private readonly columns: (GrowingColumn | undefined)[] = [];
  private line = 0;
  /** The keys of the record, a bit each. */
  private seen = 0;
  private probe = -1;
  private name = -1;
  private id = -1;
  private sender: Reference | undefined;
  private receiver: Reference | undefined;
  private readonly staged: GrowingColumn[] = [];
  private readonly kinds = new Uint8Array(MOST);
  private readonly numbers = new Float64Array(MOST);
  /** Those whose numbers may be rounded. */
  private readonly integers = new Array<bigint | undefined>(MOST);
  private count = 0;
  private readonly after: number[] = [];

  constructor(table: EventTable) {
    this.table = table;
    for (const key of KEYS) this.keys.numberOf(key);
  }

  /** Reads the record at `bytes[start]` to `bytes[end]`, which is line `line` of its file. */
  read(bytes: Uint8Array, start: number, end: number, line: number): boolean {
    const { scan } = this;
    scan.bytes = bytes;
    scan.at = start;
    scan.end = end;
    this.line = line;
    this.probe = this.name = this.id = -1;
    this.sender = this.receiver = undefined;
    this.count = 0;
    this.after.length = 0;
    return this.record() && scan.peek() === -1 && this.commit();
  }

  private record(): boolean {
    const { scan } = this;
    if (!scan.pass(OPEN)) return false;
    this.seen = 0;
    do {
      if (!scan.string()) return false;
      const key = this.keys.numberOfBytes(scan.bytes, scan.textStart, scan.textEnd, scan.hash);
      if (key < 0 || key >= KEYS.length || (this.seen & (1 << key)) !== 0) return false;
      this.seen |= 1 << key;
      if (!scan.pass(COLON) || !this.part(key)) return false;
    } while (scan.pass(COMMA));
    return scan.pass(CLOSE);
  }

  private part(key: number): boolean {
    const { table } = this;
    switch (key) {
      case 0:
        this.probe = this.text(table.texts);
        return this.probe >= 0;
      case 1:
        this.name = this.text(table.texts);
        return this.name >= 0;
      case 2:
        return this.attributes();
      case 3:
        return this.integer(table.seq);
      case 4:
        return this.integer(table.time);
      case 5:
        this.id = this.text(table.ids);
        return this.id >= 0;
      case 6:
        return this.senders();
      case 7:
        this.sender = this.reference();
        return this.sender !== undefined;
      default:
        this.receiver = this.reference();
        return this.receiver !== undefined;
    }
  }

  /** The number of the string that follows, or -1. */
  private text(texts: Texts): number {
    const { scan } = this;
    if (!scan.string()) return -1;
    return texts.numberOfBytes(scan.bytes, scan.textStart, scan.textEnd, scan.hash);
  }

  private integer(column: GrowingColumn): boolean {
    const { scan } = this;
    scan.peek();
    if (!scan.numeral() || !scan.isInteger) return false;
    return this.stage(column, ValueKind.integer, scan.number, scan.integer);
  }

  private stage(column: GrowingColumn, kind: number, number: number, integer?: bigint): boolean {
    const { count } = this;
    if (count === MOST) return false;
    this.staged[count] = column;
    this.kinds[count] = kind;
    this.numbers[count] = number;
    this.integers[count] = integer;
    this.count = count + 1;
    return true;
  }

  private attributes(): boolean {
    const { scan, table } = this;
    if (!scan.pass(OPEN)) return false;
    if (scan.pass(CLOSE)) return true;
    do {
      const name = this.text(this.names);
      if (name < 0) return false;
      if (name === this.columns.length) this.columns.push(this.columnOf(name));
      const column = this.columns[name];
      if (column === undefined || column.lastSet === this.line) return false;
      column.lastSet = this.line;
      if (!scan.pass(COLON)) return false;
      const first = scan.peek();
      if (first === QUOTE) {
        const text = this.text(table.texts);
        if (text < 0 || !this.stage(column, ValueKind.string, text)) return false;
      } else if (first === 0x74 || first === 0x66) {
        const [bytes, value] = LITERALS[first === 0x74 ? 0 : 1] as (typeof LITERALS)[number];
        if (!this.literal(bytes) || !this.stage(column, ValueKind.boolean, value)) return false;
      } else {
        if (!scan.numeral()) return false;
        const kind = scan.isInteger ? ValueKind.integer : ValueKind.float;
        if (!this.stage(column, kind, scan.number, scan.integer)) return false;
      }
    } while (scan.pass(COMMA));
    return scan.pass(CLOSE);
  }

  private columnOf(name: number): GrowingColumn | undefined {
    const text = this.names.texts[name] as string;
    return RESERVED.includes(text) ? undefined : this.table.column(text);
  }

  private literal(bytes: readonly number[]): boolean {
    for (const byte of bytes) if (this.scan.bytes[this.scan.at++] !== byte) return false;
    return true;
  }

  private senders(): boolean {
    const { scan, table, after } = this;
    if (!scan.pass(OPEN_LIST)) return false;
    if (scan.pass(CLOSE_LIST)) return true;
    do {
      const id = this.text(table.ids);
      if (id < 0 || after.length === MOST) return false;
      after.push(id);
    } while (scan.pass(COMMA));
    return scan.pass(CLOSE_LIST);
  }

  /** `"id"` or `["probe", seq]`. */
  private reference(): Reference | undefined {
    const { scan, table } = this;
    if (scan.peek() === QUOTE) {
      const id = this.text(table.ids);
      return id < 0 ? undefined : { id };
    }
    if (!scan.pass(OPEN_LIST)) return undefined;
    const probe = this.text(table.texts);
    if (probe < 0 || !scan.pass(COMMA)) return undefined;
    scan.peek();
    if (!scan.numeral() || !scan.isInteger || !scan.pass(CLOSE_LIST)) return undefined;
    return { probe, seq: scan.integer ?? BigInt(scan.number) };
  }

  private commit(): boolean {
    const { table, line, sender, receiver } = this;
    if (sender !== undefined || receiver !== undefined) {
      if (sender === undefined || receiver === undefined || this.seen !== FROM_AND_TO) return false;
      table.addInteraction(sender, receiver, line);
      return true;
    }
    if (this.probe < 0 || this.name < 0) return false;
    if (this.id >= 0 && table.eventOf(this.id) >= 0) return false;
    const event = table.addEvent(this.probe, this.name, line);
    if (this.id >= 0) table.setId(event, this.id);
    for (let index = 0; index < this.count; index++) {
      const column = this.staged[index] as GrowingColumn;
      column.add(
        event,
        itemAt(this.kinds, index),
        itemAt(this.numbers, index),
        this.integers[index],
      );
    }
    for (const id of this.after) table.addInteraction({ id }, { event }, line);
    return true;
  }
}
