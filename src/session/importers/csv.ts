import { parse } from 'csv-parse/sync';
import { type Json, jsonObject } from '../../values/index.js';
import type { EventTable } from '../columns/event-table.js';
import type { Problems } from '../problem.js';
import { LogReader, plainValue } from './log-reader.js';
import { compileMapping, type Mapping } from './mapping.js';

/** The usual names of columns, in lower case and without anything between the words. */
const SPELLINGS = {
  name: 'event eventname name msg message activity conceptname action log',
  probe: 'probe service servicename app component node host hostname logger',
  time: 'time timestamp ts datetime timetimestamp date timens starttime',
  seq: 'seq sequence',
  timeline: 'timeline caseid caseconceptname',
} as const;

const DELIMITERS = [',', ';', '\t', '|'];

/** How a table is written, and how its rows become events. */
export interface CsvLayout {
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly mapping: Mapping;
}

/**
 * The layout of a table, told from the usual names of columns in its header; undefined if the beginning
 * of the file is not a table, or its columns do not give an event's name and where or when it happened.
 *
 * @param mapping says where the parts are, whatever the columns are called
 * @param isOne whether the file is known to be a table, so that its columns may have any names
 */
export function csvLayoutOf(
  head: string,
  { mapping, isOne = false }: { readonly mapping?: Mapping; readonly isOne?: boolean } = {},
): CsvLayout | undefined {
  const { delimiter, header, second } = widestRows(head);
  if (mapping !== undefined) return { delimiter, header, mapping };
  const plain = header.map((cell) => cell.toLowerCase().replace(/[^\p{L}\d]/gu, ''));
  const columns = Object.entries(SPELLINGS).flatMap(([part, spellings]) => {
    const spelling = spellings.split(' ').find((one) => plain.includes(one));
    return spelling === undefined
      ? []
      : [[part, header[plain.indexOf(spelling)] as string] as const];
  });
  const parts = new Map(columns);
  const isTable = header.length > 1 && second.length === header.length;
  const isTold = parts.has('name') && (parts.has('time') || parts.has('probe'));
  if (!isOne && !(isTable && isTold)) return undefined;
  const compiled = compileMapping({ fields: { name: "'row'" } });
  const ways = columns.map(([part, column]) => [part, [[column]]]);
  return {
    delimiter,
    header,
    mapping: { ...compiled, parts: { ...compiled.parts, ...Object.fromEntries(ways) } },
  };
}

/** The first rows, split by the delimiter that gives the most columns: one that is absent gives one. */
function widestRows(head: string) {
  const all = DELIMITERS.map((one) => rowsOf(head, one));
  return all.sort((a, b) => b.header.length - a.header.length)[0] as ReturnType<typeof rowsOf>;
}

/** The first two rows. */
function rowsOf(head: string, delimiter: string) {
  let rows: string[][] = [];
  try {
    rows = parse(head, { ...LENIENT, delimiter, to: 2 });
  } catch {
    // It is not a table.
  }
  const [header = [], second = []] = rows;
  return { delimiter, header: header.map((cell) => cell.trim()), second };
}

const LENIENT = { bom: true, relax_column_count: true, relax_quotes: true } as const;

/** How many characters are parsed at a time, once they hold the end of a record; and the longest record. */
const BLOCK = 1 << 20;
const LONGEST = 64 << 20;

/** Reads CSV as it arrives: the first record names the columns, and every other one is an event. */
export class CsvReader {
  private readonly events: LogReader;
  private readonly decoder = new TextDecoder();
  private text = '';
  /** The end of the last complete record of the text, and whether a quote is open at the text's end. */
  private end = 0;
  private isQuoted = false;
  private line = 0;

  /**
   * @param probe the probe of events that do not name one
   * @param table receives the events
   */
  constructor(
    private readonly layout: CsvLayout,
    probe: string,
    table: EventTable,
    private readonly problems: Problems,
  ) {
    this.events = new LogReader({ id: 'csv', mapping: layout.mapping }, probe, table, problems);
  }

  /** Reads the next bytes; they are not kept. @throws {SessionError} for too many texts */
  push(bytes: Uint8Array): void {
    const more = this.decoder.decode(bytes, { stream: true });
    for (const { 0: mark, index } of more.matchAll(/["\n]/g)) {
      if (mark === '"') this.isQuoted = !this.isQuoted;
      else if (!this.isQuoted) this.end = this.text.length + index + 1;
    }
    this.text += more;
    if (this.end >= BLOCK) this.take(this.end);
    if (this.text.length > LONGEST) this.take(this.text.length);
  }

  finish(): void {
    this.text += this.decoder.decode();
    this.take(this.text.length);
    this.events.finish();
  }

  /** Takes the records up to a place in the text. */
  private take(end: number): void {
    const block = this.text.slice(0, end);
    this.text = this.text.slice(end);
    this.end = 0;
    let line = this.line;
    const onRecord = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
      this.takeRow(cells, line + 1);
      line = this.line + lines;
      return null;
    };
    try {
      parse(block, { ...LENIENT, delimiter: this.layout.delimiter, on_record: onRecord });
    } catch (error) {
      const message = `not CSV: ${(error as Error).message.replace(/ at line \d+$/, '')}`;
      this.problems.add('record', { line: line + 1, message });
    }
    this.line += block.split('\n').length - 1;
  }

  private takeRow(cells: readonly string[], line: number): void {
    const { header } = this.layout;
    const isBlank = cells.every((cell) => cell.trim() === '');
    if (line === 1 || isBlank) return;
    const written = cells.join(this.layout.delimiter);
    if (cells.length !== header.length) {
      this.events.lose('with more or fewer cells than the header', line, written);
      return;
    }
    const values = cells.map((cell, at): [string, Json] => [
      header[at] || `column ${at + 1}`,
      plainValue(cell),
    ]);
    this.events.add(jsonObject(values.filter(([, value]) => value !== '')), line, written);
  }
}
