import { setValue } from '../builder.js';
import { assemble } from '../columns/assemble.js';
import { EventTable } from '../columns/event-table.js';
import { type Problem, Problems, quoted } from '../problem.js';
import type { Session } from '../session.js';
import { type EventRecord, type HeaderRecord, readRecord } from './record.js';

const NEWLINE = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];

/** A longer line is not read, so that a file without lines takes no memory. */
const LONGEST = 64 << 20;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the neutral form, JSON Lines, from bytes that come piece by piece. Between pieces it
 * holds one unfinished line, and what it has read in columns.
 */
export class NeutralReader {
  readonly problems = new Problems();
  private readonly table: EventTable;
  private header: Partial<HeaderRecord> = {};
  private line = 0;
  private records = 0;
  private buffer = new Uint8Array(1 << 16);
  private filled = 0;
  /** Whether the rest of a line that is too long is to be passed over. */
  private skipping = false;

  /** @param mostKeys how many different texts, and how many ids, the session may have */
  constructor(mostKeys?: number) {
    this.table = new EventTable(mostKeys);
  }

  /** Reads the next bytes; they are not kept. @throws {SessionError} for too many texts */
  push(bytes: Uint8Array): void {
    const room = this.filled + bytes.length;
    if (room > this.buffer.length) {
      const grown = new Uint8Array(Math.max(room, this.buffer.length * 2));
      grown.set(this.buffer.subarray(0, this.filled));
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.filled);
    const seen = this.filled;
    this.filled = room;
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.take(start, seen + at);
      start = seen + at + 1;
    }
    this.buffer.copyWithin(0, start, this.filled);
    this.filled -= start;
    if (this.filled > LONGEST) {
      if (!this.skipping) this.tooLong();
      this.skipping = true;
      this.filled = 0;
    }
  }

  /** The session of all that was pushed, less what `problems` says is wrong. */
  finish(): Session {
    if (this.filled > 0 || this.skipping) this.take(0, this.filled);
    this.buffer = new Uint8Array(0);
    return assemble(this.table, this.problems, {
      name: this.header.name,
      source: this.header.source,
      release: true,
    });
  }

  private tooLong(): void {
    const message = 'the line is longer than 64 MiB';
    this.problems.add('record', { line: this.line + 1, message });
  }

  private take(start: number, end: number): void {
    this.line++;
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    const { buffer } = this;
    const from = this.line === 1 && BOM.every((byte, at) => buffer[start + at] === byte) ? 3 : 0;
    const problem = this.read(buffer.subarray(start + from, end));
    if (problem !== undefined) this.problems.add('record', { line: this.line, ...problem });
  }

  private read(bytes: Uint8Array): Problem | undefined {
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch {
      return { message: 'the line is not UTF-8' };
    }
    if (text.trim() === '') return undefined;
    const isFirst = this.records === 0;
    this.records++;
    const record = readRecord(text);
    if ('problem' in record) return placed(record.problem);
    if (record.kind === 'event') return this.addEvent(record);
    if (record.kind === 'interaction') {
      this.table.addInteraction(record.from, record.to, this.line);
      return undefined;
    }
    if (!isFirst) return { message: 'a header must be the first record' };
    this.header = record;
    return undefined;
  }

  private addEvent(record: EventRecord): Problem | undefined {
    const { table, line } = this;
    const { probe, timeline, name, seq, time, id, after = [], attributes } = record;
    const first = id === undefined ? undefined : table.eventById.get(id);
    if (id !== undefined && first !== undefined) {
      const other = table.lines.view()[first];
      return { message: `the id ${quoted(id)} is already that of line ${other}` };
    }
    const event = table.addEvent(probe, name, line, timeline);
    if (id !== undefined) table.addId(id, event);
    if (seq !== undefined) table.seq.addInteger(event, seq);
    if (time !== undefined) table.time.addInteger(event, time);
    for (const [key, value] of attributes) setValue(table, key, event, value);
    for (const from of after) table.addInteraction(from, event, line);
    return undefined;
  }
}

/** A problem of JSON with its column, where its text ends with the position. */
function placed(problem: string): Problem {
  const [, message, position] = /^(.*?)(?: encountered)? at position (\d+)$/su.exec(problem) ?? [];
  if (message === undefined) return { message: problem };
  return { column: Number(position) + 1, message };
}
