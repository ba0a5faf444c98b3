import { quote } from '../../diagnostics/index.js';
import { defined, type Json, parseJson } from '../../values/index.js';
import { EventTable } from '../columns/event-table.js';
import type { SessionFormat } from '../formats.js';
import { CsvReader, csvLayoutOf } from '../importers/csv.js';
import { type LogPart, LogReader, type Message } from '../importers/log-reader.js';
import { type Problem, Problems } from '../problem.js';
import type { EventRecord, NeutralRecord } from '../read-neutral.js';
import type { ReadOptions } from '../read-session.js';
import { findUnusedValues, type Reading } from '../reading.js';
import { formatOfFile } from '../recognize.js';
import { recordsOfTable } from '../write-neutral.js';

/** The content of new lines in a growing file. */
export interface FilePart {
  /** Lines of the neutral form. */
  readonly lines?: readonly string[];
  /** Events and interactions in any other format. */
  readonly records?: readonly NeutralRecord[];
  /** OTLP documents, one per line. */
  readonly documents?: readonly Json[];
  readonly problems?: readonly Problem[];
}

/** The id of an event that sends or receives a message, with a key for its probe and timeline. */
interface MessageEnd {
  readonly id: string;
  readonly timelineKey: string;
}

/** Formats that are a single document, or whose event order depends on all events. */
const WHOLE_FILE_FORMATS: readonly string[] = ['jaeger', 'zipkin', 'chrome', 'mcap', 'shiviz'];

/**
 * Reads a growing file in any format whose lines are records. An attribute's values may be of several kinds, because
 * later lines are still unknown.
 */
export class GrowingReader {
  /** The format, once recognized. */
  format: SessionFormat | undefined;
  /** True if the file must be read as a whole, once complete. */
  isWhole = false;
  private reader: LogReader | CsvReader | undefined;
  /** Lines kept until the format is known. */
  private pendingLines: string[] = [];
  private hasBegun = false;
  /** Problems not yet reported, about overrides without effect on the format. */
  private readonly idleProblems: Problem[] = [];
  private events = 0;
  /** By message key, the sending event, and the receiving events without a known sender. */
  private readonly senders = new Map<string, MessageEnd>();
  private readonly receivers = new Map<string, MessageEnd[]>();

  /**
   * @param probe the default probe, for events that do not name one
   * @param source the id prefix of events that send or receive messages
   * @param guard runs work that uses a user's regular expressions, with a timeout
   */
  constructor(
    private readonly reading: Reading,
    private readonly probe: string,
    private readonly source: string,
    private readonly guard: NonNullable<ReadOptions['guard']> = (work) => work(),
  ) {}

  /** True if the lines so far do not identify the format. */
  get isUnknown(): boolean {
    return this.format === undefined && this.pendingLines.length > 0;
  }

  /** Recognizes the format from the file's current content. Omits the events in this content. */
  recognizeHead(head: string): void {
    this.hasBegun = head !== '';
    if (!this.recognize(head.replace(/^\ufeff/, '')) || !(this.reader instanceof CsvReader)) return;
    this.push(head.split('\n', 1));
    this.reader.handOver();
  }

  /** Starts over after the file was truncated. */
  restart(): void {
    this.hasBegun = false;
    if (this.reader instanceof CsvReader) this.reader.restart();
  }

  /**
   * Reads complete lines, given without line breaks.
   *
   * @throws {SessionError} for too many different texts, and on a timeout of the guard, after which the reader cannot
   *   continue; {MappingError} for an invalid reading
   */
  read(lines: readonly string[]): FilePart {
    const { problems = [], ...part } = this.readPart(lines);
    const allProblems = [...this.idleProblems.splice(0), ...problems];
    return { ...part, ...(allProblems.length > 0 && { problems: allProblems }) };
  }

  private readPart(lines: readonly string[]): FilePart {
    for (const line of lines) this.pendingLines.push(line);
    const [first] = this.pendingLines;
    if (!this.hasBegun && first !== undefined) this.pendingLines[0] = first.replace(/^\ufeff/, '');
    this.hasBegun ||= first !== undefined;
    if (this.format === undefined && !this.recognize(headText(this.pendingLines))) return {};
    const pending = this.pendingLines;
    this.pendingLines = [];
    if (this.isWhole) return {};
    if (this.format === 'session') return { lines: pending };
    if (this.format === 'otlp') return readDocuments(pending);
    this.push(pending);
    return this.reader === undefined ? {} : this.toRecords(this.reader.handOver());
  }

  /** Returns the remaining events at the end of the file. */
  finish(): FilePart {
    return this.reader === undefined ? {} : this.toRecords(this.reader.handOver(true));
  }

  private push(lines: readonly string[]): void {
    const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
    this.guard(() => this.reader?.push(bytes), bytes.length);
  }

  /** Recognizes the format from the beginning of the file; returns true if the format is known. */
  private recognize(text: string): boolean {
    const head = text.trimStart();
    if (head === '' || this.format !== undefined) return this.format !== undefined;
    const { probe, reading } = this;
    const { format, table: columns } = formatOfFile(head, reading);
    const [table, problems] = [new EventTable(), new Problems()];
    const layout = columns && csvLayoutOf(head, columns);
    if (layout !== undefined) {
      this.reader = new CsvReader(layout, probe, table, problems, reading);
      this.format = 'csv';
    } else if (typeof format === 'object') {
      this.reader = new LogReader(format, probe, table, problems, reading);
      this.format = format.id as SessionFormat;
    } else this.format = format;
    const isLine = !('problem' in parseJson(head.split('\n', 1)[0] as string));
    this.isWhole =
      this.format !== undefined &&
      (WHOLE_FILE_FORMATS.includes(this.format) || (this.format === 'otlp' && !isLine));
    if (this.format !== undefined && !this.isWhole) {
      for (const message of findUnusedValues(reading, this.format, this.reader !== undefined)) {
        this.idleProblems.push({ count: 0, message });
      }
    }
    return this.format !== undefined;
  }

  /**
   * Converts a part to records: the events, with ids if they send or receive messages, and the interactions found so
   * far.
   */
  private toRecords({ table, problems, sentMessages, receivedMessages }: LogPart): FilePart {
    const events = recordsOfTable(table);
    const ids = new Map<number, string>();
    const endFor = ({ event }: Message): MessageEnd => {
      const id = `${this.source}:${this.events + event + 1}`;
      ids.set(event, id);
      const { probe, timeline } = events[event] as EventRecord;
      return { id, timelineKey: JSON.stringify([probe, timeline]) };
    };
    const { send, receive } = this.reading;
    for (const [key, messages] of sentMessages) {
      const ends = messages.map(endFor);
      const sender = this.senders.get(key) ?? ends.shift();
      if (sender !== undefined) this.senders.set(key, sender);
      if (send === receive) this.addReceivers(key, ends);
      else if (ends.some(({ timelineKey }) => timelineKey !== sender?.timelineKey)) {
        problems.add('interaction', {
          message: `the message ${quote(key)} is sent at several probes`,
        });
      }
    }
    for (const [key, messages] of receivedMessages) this.addReceivers(key, messages.map(endFor));
    const interactions: NeutralRecord[] = [];
    for (const key of new Set([...sentMessages.keys(), ...receivedMessages.keys()])) {
      const sender = this.senders.get(key);
      if (sender === undefined) continue;
      for (const { id, timelineKey } of this.receivers.get(key) ?? []) {
        if (timelineKey !== sender.timelineKey)
          interactions.push({ kind: 'interaction', from: sender.id, to: id });
      }
      this.receivers.delete(key);
    }
    this.events += table.size;
    const withIds = events.map((event, at) => ({ ...event, ...defined({ id: ids.get(at) }) }));
    return { records: [...withIds, ...interactions], problems: problems.list };
  }

  private addReceivers(key: string, ends: readonly MessageEnd[]): void {
    const receivers = this.receivers.get(key) ?? [];
    for (const end of ends) receivers.push(end);
    if (receivers.length > 0) this.receivers.set(key, receivers);
  }
}

/** Maximum number of characters used to recognize a file's format, unless its first line is longer. */
const HEAD = 1 << 16;

/** Returns the first lines of a file, for recognizing its format. */
function headText(lines: readonly string[]): string {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > HEAD;
  });
  return lines.slice(0, Math.max(1, end === -1 ? lines.length : end)).join('\n');
}

function readDocuments(lines: readonly string[]): FilePart {
  const documents: Json[] = [];
  const problems: Problem[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    if ('problem' in json) problems.push({ message: json.problem });
    else documents.push(json.value);
  }
  return { documents, problems };
}
