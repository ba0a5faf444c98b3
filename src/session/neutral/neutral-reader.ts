import { setValue } from '../builder.js';
import type { EventTable } from '../columns/event-table.js';
import { Lines } from '../lines.js';
import { type Problem, type Problems, quoted } from '../problem.js';
import { type EventRecord, type HeaderRecord, readRecord } from './record.js';

/**
 * Reads the neutral form, JSON Lines, from bytes that come piece by piece. Between pieces it
 * holds one unfinished line, and what it has read in columns.
 */
export class NeutralReader {
  private readonly problems: Problems;
  private readonly table: EventTable;
  /** What the file says of itself. */
  header: Partial<HeaderRecord> = {};
  private line = 0;
  private records = 0;
  private readonly lines = new Lines((line, number) => {
    this.line = number;
    const problem = 'problem' in line ? { message: line.problem } : this.read(line.text);
    if (problem !== undefined) this.problems.add('record', { line: number, ...problem });
  });

  /** @param table to which its events are added */
  constructor(table: EventTable, problems: Problems) {
    this.table = table;
    this.problems = problems;
  }

  /** Reads the next bytes; they are not kept. @throws {SessionError} for too many texts */
  push(bytes: Uint8Array): void {
    this.lines.push(bytes);
  }

  /** Reads the last line, if it has no end. */
  finish(): void {
    this.lines.finish();
  }

  private read(text: string): Problem | undefined {
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
