import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import { quote } from '../../diagnostics/index.js';
import { jsonObject } from '../../values/index.js';
import type { EventTable } from '../columns/event-table.js';
import { concatenate, decodeAll } from '../lines.js';
import type { Problems } from '../problem.js';
import type { Reading } from '../reading.js';
import { type LogPart, LogReader, NOT_UTF8 } from './log-reader.js';
import { compileMapping, type Mapping } from './mapping.js';
import { DATE_WORDS, TIME_WORDS } from './time-halves.js';

/** The usual column names of an event's parts, in lower case and without separators. */
const SPELLINGS = {
  name: 'event eventname name msg message activity conceptname action log',
  probe: 'probe service servicename app component node host hostname logger',
  time: [
    'time timestamp ts datetime timetimestamp date timens starttime',
    ...TIME_WORDS,
    ...DATE_WORDS,
  ].join(' '),
  seq: 'seq sequence',
  timeline: 'timeline caseid caseconceptname',
} as const;

const DELIMITERS = [',', ';', '\t', '|'];

/** The syntax of a table, and the mapping from rows to events. */
export interface CsvLayout {
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly mapping: Mapping;
}

/**
 * Detects a table's layout from the usual column names in its header. The header must have a name, and a probe or a
 * time. Returns undefined for any other text.
 *
 * @param mapping the paths of an event's parts, in columns of any name
 * @param isTableFormat true if the file is known to be a table, in which columns may have any name
 */
export function csvLayoutOf(
  head: string,
  {
    mapping,
    isTableFormat = false,
  }: { readonly mapping?: Mapping; readonly isTableFormat?: boolean } = {},
): CsvLayout | undefined {
  // The parser is slow on text without a line ending, such as megabytes of binary data.
  if (mapping === undefined && !isTableFormat && !/[\r\n]/.test(head)) return undefined;
  const { delimiter, header, second: secondRow } = widestRows(head);
  if (mapping !== undefined) return { delimiter, header, mapping };
  const normalized = header.map((cell) => cell.toLowerCase().replace(/[^\p{L}\d]/gu, ''));
  const columns = Object.entries(SPELLINGS).flatMap(([part, spellings]) => {
    const columns = spellings.split(' ').map((spelling) => normalized.indexOf(spelling));
    const at = columns.find((index) => index >= 0);
    return at === undefined ? [] : [[part, header[at] as string] as const];
  });
  const parts = new Map(columns);
  const isTable = header.length > 1 && secondRow.length > 1;
  const isComplete = parts.has('name') && (parts.has('time') || parts.has('probe'));
  if (!isTableFormat && !(isTable && isComplete)) return undefined;
  const base = compileMapping({ fields: { name: "'row'" } });
  const partPaths = columns.map(([part, column]) => [part, [[column]]]);
  return {
    delimiter,
    header,
    mapping: { ...base, parts: { ...base.parts, ...Object.fromEntries(partPaths) } },
  };
}

/** Returns the first rows, split by the delimiter that results in the most columns. */
function widestRows(head: string) {
  const candidates = DELIMITERS.map((delimiter) => headRows(head, delimiter));
  return candidates.sort((a, b) => b.header.length - a.header.length)[0] as ReturnType<
    typeof headRows
  >;
}

/** Maximum number of lines to search for the header. */
const MAX_LINES_ABOVE = 20;

/** Returns the header and the next row. */
function headRows(head: string, delimiter: string) {
  const rows: string[][] = [];
  const onRecord = (cells: string[]): null => {
    rows.push(cells);
    return null;
  };
  try {
    parse(head, { ...parserOptions(delimiter), to: MAX_LINES_ABOVE, on_record: onRecord });
  } catch {
    // The text is not a table, or its beginning ends within a cell.
  }
  const columns = rows.find(([cell = '']) => !ABOVE_HEADER.test(cell))?.length ?? 0;
  const [headerRow = [], secondRow = []] = rows.slice(
    rows.findIndex((cells) => !isAboveHeader(cells, columns)),
  );
  const names = headerRow.map((cell) => cell.trim());
  const header = names.map((name, at) =>
    name === '' || names.indexOf(name) < at ? `column ${at + 1}` : name,
  );
  return { delimiter, header, second: secondRow };
}

/** Matches a comment or a line `sep=`, which programs and spreadsheets write above a header. */
const ABOVE_HEADER = /^(?:#|sep=)/;

/**
 * True for a comment or a line `sep=` above the header. A line with the table's number of columns is the header, even
 * if it begins with `#`.
 */
function isAboveHeader(cells: readonly string[], columns: number): boolean {
  return ABOVE_HEADER.test(cells[0] ?? '') && cells.length !== columns;
}

const LENIENT = { bom: true, relax_column_count: true, relax_quotes: true } as const;

/** Returns the parser's options. Spaces around unquoted cells are ignored, except in tab-separated tables. */
function parserOptions(delimiter: string) {
  return { ...LENIENT, delimiter, trim: delimiter !== '\t' };
}

/** The number of bytes to parse at a time, and the maximum number of bytes in a record. */
const BLOCK_SIZE = 1 << 20;
const MAX_RECORD = 64 << 20;
const QUOTE = 0x22;

/** Reads CSV from a stream. The first record names the columns; each later record is an event. */
export class CsvReader {
  private readonly events: LogReader;
  private pieces: Uint8Array[] = [];
  private size = 0;
  /** The number of bytes to collect before parsing. */
  private needed = BLOCK_SIZE;
  private line = 0;
  private hasHeader = false;

  /**
   * @param probe the default probe, for events that do not name one
   * @param table receives the events
   */
  constructor(
    private readonly layout: CsvLayout,
    probe: string,
    table: EventTable,
    private readonly problems: Problems,
    reading: Reading = {},
  ) {
    const logger = { id: 'csv', mapping: layout.mapping };
    this.events = new LogReader(logger, probe, table, problems, reading);
  }

  /** Reads the next bytes. The caller may then reuse the array. @throws {SessionError} for too many texts */
  push(bytes: Uint8Array): void {
    this.pieces.push(bytes.slice());
    this.size += bytes.length;
    if (this.size >= this.needed) this.take(false);
    if (this.size > MAX_RECORD) this.take(true);
  }

  finish(): void {
    this.take(true);
    this.events.finish();
  }

  /**
   * Returns the events of complete records, like `LogReader.handOver`. A line break in quotes does not end a record.
   */
  handOver(isLast = false): LogPart {
    const quotes = this.pieces.reduce((sum, piece) => sum + countByte(piece, QUOTE), 0);
    this.take(quotes % 2 === 0);
    return this.events.handOver(isLast);
  }

  /** Starts over after the file was truncated. The next record names the columns. */
  restart(): void {
    this.hasHeader = false;
  }

  /**
   * Reads the available records. Unless `withLast` is true, keeps the last record for later, because it may be
   * incomplete.
   */
  private take(withLast: boolean): void {
    const block = concatenate(this.pieces);
    const linesBefore = this.line;
    let parsed = 0;
    let takePrevious = () => {};
    const onRecord = (cells: readonly string[], { bytes, lines }: InfoRecord): null => {
      takePrevious();
      takePrevious = () => {
        this.takeRow(cells, block.subarray(parsed, bytes), this.line + 1);
        parsed = bytes;
        this.line = linesBefore + lines;
      };
      return null;
    };
    let problem: string | undefined;
    try {
      parse(block, { ...parserOptions(this.layout.delimiter), on_record: onRecord });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      problem = `not CSV: ${error.message.replace(/ at line \d+$/, '')}`;
    }
    if (withLast) {
      takePrevious();
      if (problem) this.problems.add('record', { line: this.line + 1, message: problem });
    }
    const remaining = block.subarray(withLast ? block.length : parsed);
    this.pieces = [remaining];
    this.size = remaining.length;
    // Doubled, to avoid parsing a long record repeatedly.
    this.needed = Math.max(BLOCK_SIZE, 2 * remaining.length);
  }

  private takeRow(cells: readonly string[], bytes: Uint8Array, line: number): void {
    const { header } = this.layout;
    const text = cells.join(this.layout.delimiter);
    const isText = !text.includes('\ufffd') || decodeAll([bytes]).isUtf8;
    if (!isText) this.problems.addLine(NOT_UTF8, line, '');
    if (!this.hasHeader) {
      this.hasHeader = text.trim() !== '' && !isAboveHeader(cells, header.length);
      return;
    }
    if (!isText || cells.every((cell) => cell.trim() === '')) return;
    if (cells.length !== header.length) {
      this.problems.addAlike(
        `row of ${cells.length}`,
        (count) => raggedText(count, cells.length, header.length, text),
        line,
      );
      return;
    }
    const values = cells.map((cell, at) => [header[at] as string, cell] as const);
    this.events.add(jsonObject(values.filter(([, value]) => value !== '')), line, text);
  }
}

function raggedText(rows: number, cells: number, columns: number, example: string): string {
  const subject = rows === 1 ? 'a row has' : `${rows} rows, from here on, have`;
  return `${subject} ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${columns}: ${quote(example.trim())}`;
}

function countByte(bytes: Uint8Array, searched: number): number {
  let count = 0;
  for (const byte of bytes) if (byte === searched) count++;
  return count;
}
