import { exitCodes, PerturbError } from '../basics/index.js';
import { defined, type Json } from '../values/index.js';
import { assemble } from './columns/assemble.js';
import { EventTable } from './columns/event-table.js';
import type { SessionFormat } from './formats.js';
import { ChromeReader } from './importers/chrome.js';
import { readJaeger } from './importers/jaeger.js';
import { LogReader } from './importers/log-reader.js';
import { orderSpans } from './importers/order-spans.js';
import { readOtlp } from './importers/otlp.js';
import { looksLikeOtlp, otlpFileToJson } from './importers/otlp-protobuf.js';
import { PatternTrial } from './importers/pattern-trial.js';
import { readShiviz, type ShivizOptions } from './importers/shiviz.js';
import type { SpanOptions } from './importers/traces.js';
import { Traces } from './importers/traces.js';
import { readZipkin } from './importers/zipkin.js';
import { concatenate, decodeAll, JsonDocuments, loadZstd, MAX_TEXT_BYTES } from './lines.js';
import {
  type ClockDisagreement,
  type ClockSetBack,
  type Dropped,
  type Problem,
  Problems,
} from './problem.js';
import { NeutralReader } from './read-neutral.js';
import { findUnusedValues, type Reading } from './reading.js';
import {
  describeUnknownFormat,
  formatOfFile,
  type RecognizedFormat,
  recognizeFormat,
  type UnknownFile,
} from './recognize.js';
import type { ReadingFacts, Session } from './session.js';

const IMPORTERS = { otlp: readOtlp, jaeger: readJaeger, zipkin: readZipkin } as const;

export interface ReadOptions extends Omit<ShivizOptions, 'pattern'> {
  /** Overrides for reading the files (default: recognized from their content). */
  readonly reading?: Reading;
  /** Options for ordering spans. */
  readonly spans?: SpanOptions;
  /** The default probe, for log events that do not name one (`log` if omitted). */
  readonly probe?: string;
  /** Runs work with a timeout, because a user's regular expressions may never finish. */
  readonly guard?: (work: () => void, bytes: number) => void;
  /** Called before a large allocation of `bytes` bytes. Throws if the memory is not available. */
  readonly expectMemory?: (bytes: number, purpose: string) => void;
  /** Skips broken entries instead of rejecting the whole session. */
  readonly tolerant?: boolean;
  /** Maximum number of different texts, and of ids, in the neutral form (default 2^24). */
  readonly mostKeys?: number;
}

/** The result of reading a session. */
export interface SessionReading {
  /** The session; absent if there were problems and reading was not tolerant. */
  readonly session?: Session;
  readonly format: SessionFormat;
  /** The first hundred problems. */
  readonly problems: readonly Problem[];
  /** The number of further problems. */
  readonly more: number;
  /** The number of parts with problems, by kind. A tolerant reading omits these parts. */
  readonly dropped: Dropped;
  /** The number of duplicate spans. Exporters may resend a span; each span counts once. */
  readonly merged: number;
  /** The number of spans whose parent is in none of the files. */
  readonly orphans: number;
  /** Pairs of hosts whose clocks disagree about the ends of spans. Some of their clock orders are omitted. */
  readonly disagreements: readonly ClockDisagreement[];
  /** Hosts whose clocks contradict cause and effect. */
  readonly setBacks: readonly ClockSetBack[];
  /** Contradictions between times and the order of lines, for files without `seq`. */
  readonly notes: readonly Problem[];
}

/** Bytes in pieces. The reader does not use a piece after requesting the next piece. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The number of bytes at the beginning of a file used to recognize its format. */
const HEAD = 1 << 16;

/** The state shared by all files while reading a session. */
interface SessionParts {
  readonly table: EventTable;
  readonly traces: Traces;
  readonly problems: Problems;
  /** Properties of the session, each from the first file with the property. */
  origin: Pick<Session, 'name' | 'source'> & Pick<ReadingFacts, 'order' | 'skew'>;
}

/** One of a session's files. */
export interface SessionPart {
  /** The file's name in problems, if there are several files. */
  readonly file?: string;
  readonly input: string | Uint8Array | Pieces;
  /** Overrides the option `probe` for this file. */
  readonly probe?: string;
  readonly reading?: Reading;
}

/** The error for an input whose remaining bytes are damaged. */
export class DamagedFile extends PerturbError<'damaged-file'> {
  constructor(message: string) {
    super('damaged-file', message, exitCodes.usage);
  }
}

/**
 * Reads a session from text, bytes or a stream of bytes. Reads line by line if the lines of the format are independent.
 * Reports a problem for a session without events.
 *
 * @throws {SyntaxError} for a `pattern` or a `delimiter` that is not a regular expression, and for an invalid mapping
 * @throws {SessionError} for too many different texts
 */
export function readSession(
  input: string | Uint8Array | Pieces,
  options: ReadOptions = {},
): Promise<SessionReading> {
  return readSessionParts([{ input }], options);
}

/**
 * Reads one session from several files, in any mixture of formats. Orders a timeline's events by file, with events from
 * spans after all others. The parent of a span may be in another file.
 *
 * @throws the same errors as `readSession`
 */
export async function readSessionParts(
  parts: Iterable<SessionPart> | AsyncIterable<SessionPart>,
  options: ReadOptions = {},
): Promise<SessionReading> {
  const problems = new Problems();
  const table = new EventTable(options.mostKeys);
  const traces = new Traces(problems, options.spans, table);
  const sessionParts: SessionParts = { table, traces, problems, origin: {} };
  const formats = new Set<SessionFormat>();
  for await (const { file, input, ...partOptions } of parts) {
    problems.file = file;
    const [events, listedBefore, countBefore] = [
      eventCount(sessionParts),
      problems.list.length,
      problems.count,
    ];
    const { format, unknown } = await readInto(sessionParts, input, { ...options, ...partOptions });
    formats.add(format);
    if (eventCount(sessionParts) > events) continue;
    if (unknown !== undefined) {
      const lines = describeUnknownFormat(unknown, problems.count - countBefore);
      problems.list.splice(
        listedBefore,
        Number.POSITIVE_INFINITY,
        ...lines.map((problem) => ({ ...problems.location, ...problem })),
      );
    } else if (traces.hasMetrics || problems.list.length === listedBefore) {
      const message = traces.hasMetrics
        ? 'the file contains only metrics: expected spans or logs'
        : 'the file contains no events';
      problems.add('record', { count: 0, message });
    }
  }
  problems.file = undefined;
  const [format = 'session'] = formats;
  return finishReading(sessionParts, format, options);
}

/** Counts the events, interactions, spans and reports read so far. */
function eventCount({ table, traces }: SessionParts): number {
  return table.size + table.interactions.length + traces.size + traces.untimedReports.length;
}

function finishReading(
  { table, traces, problems, origin }: SessionParts,
  format: SessionFormat,
  options: ReadOptions,
): SessionReading {
  traces.settle();
  table.beginFile();
  const built =
    traces.size > 0 ? orderSpans(traces).session : assemble(table, problems, { release: true });
  const { name, source, order, skew } = origin;
  const reading = { isCausal: table.isCausal, ...built.reading, ...defined({ order, skew }) };
  const session: Session = { ...built, ...defined({ name, source }), reading };
  const keptProblems = problems.sorted();
  const isFine = keptProblems.length === 0 || options.tolerant === true;
  return {
    ...(isFine && { session }),
    format,
    problems: keptProblems,
    more: keptProblems.reduce((total, { count = 1 }) => total - count, problems.count),
    dropped: problems.dropped,
    merged: problems.merged,
    orphans: problems.orphans,
    disagreements: problems.disagreements,
    setBacks: problems.setBacks,
    notes: problems.notes,
  };
}

/** A reader for a stream of bytes. */
type LineReader = Pick<JsonDocuments, 'push' | 'finish'>;

/** Returns a reader for CSV or MCAP, whose code is loaded only if needed; undefined for other formats. */
async function recordReader(
  head: string,
  { format, mapping, table: columns }: RecognizedFormat,
  probe: string,
  { table, problems }: SessionParts,
  reading: Reading,
): Promise<readonly ['csv' | 'mcap', LineReader] | undefined> {
  if (format === 'mcap') {
    const { McapReader } = await import('./importers/mcap.js');
    return ['mcap', new McapReader(mapping, probe, table, problems, await loadZstd(), reading)];
  }
  if (columns === undefined) return undefined;
  const { csvLayoutOf, CsvReader } = await import('./importers/csv.js');
  const layout = csvLayoutOf(head, columns);
  return layout && ['csv', new CsvReader(layout, probe, table, problems, reading)];
}

/** Adds a file's contents. Returns the format and, if it is unknown, facts about the file. */
async function readInto(
  sessionParts: SessionParts,
  input: string | Uint8Array | Pieces,
  options: ReadOptions,
): Promise<{ readonly format: SessionFormat; readonly unknown?: UnknownFile }> {
  const { guard = (work) => work(), expectMemory = () => {}, probe = 'log' } = options;
  const { reading = {}, delimiter, execution } = options;
  const { table, traces, problems } = sessionParts;
  const firstEvent = table.size;
  table.beginFile(problems.file);
  traces.hasMetrics = false;
  traces.expectMemory = expectMemory;
  traces.nameProbesBy(reading.probe ?? []);
  let format: SessionFormat | undefined;
  let unknown: string | undefined;
  let trial: PatternTrial | undefined;
  let usesRecorder = false;
  let lines: LineReader | undefined;
  let keptPieces: Uint8Array[] = [];
  let size = 0;
  const push = (piece: Uint8Array) =>
    guard(() => {
      lines?.push(piece);
      trial?.push(piece);
    }, piece.length);
  /** Recognizes the format. Falls back to the neutral form, because some lines may still be records. */
  const recognize = async () => {
    const head = decodeAll(keptPieces, HEAD).text.trimStart();
    const isBinary = looksLikeOtlp(concatenate(keptPieces));
    const recognition = formatOfFile(head, reading, (text) =>
      isBinary ? 'otlp' : recognizeFormat(text),
    );
    // The lines of a log with several executions may look like any log, or like no log.
    const isOfExecutions = delimiter !== undefined && typeof recognition.format !== 'string';
    const recognizedFormat: RecognizedFormat = isOfExecutions ? { format: 'shiviz' } : recognition;
    const records = await recordReader(head, recognizedFormat, probe, sessionParts, reading);
    let recognizedId = recognizedFormat.format;
    recognizedId ??= records?.[0];
    if (recognizedId === undefined && head !== '') {
      unknown = head;
      trial = new PatternTrial();
    }
    recognizedId ??= 'session';
    format =
      records?.[0] ??
      (typeof recognizedId === 'string' ? recognizedId : (recognizedId.id as SessionFormat));
    if (records !== undefined) lines = records[1];
    else if (recognizedId === 'session') lines = new NeutralReader(table, problems);
    else if (typeof recognizedId !== 'string')
      lines = new LogReader(recognizedId, probe, table, problems, reading);
    else if (recognizedId === 'chrome') lines = new ChromeReader(probe, table, problems);
    else if (Object.hasOwn(IMPORTERS, recognizedId) && !isBinary) {
      const importDocument = IMPORTERS[recognizedId as keyof typeof IMPORTERS];
      lines = new JsonDocuments((document) => importDocument(document, traces), problems);
    }
    usesRecorder = lines instanceof LogReader || records !== undefined;
    const isMessaging = reading.send !== undefined || reading.receive !== undefined;
    table.isCausal ||= isMessaging || !(usesRecorder || lines instanceof NeutralReader);
    const importReading = { ...reading, delimiter, execution };
    for (const message of unknown === undefined
      ? findUnusedValues(importReading, format, usesRecorder)
      : []) {
      problems.add('record', { count: 0, message });
    }
    if (lines === undefined) return;
    if (lines instanceof JsonDocuments) lines.expectMemory = expectMemory;
    for (const piece of keptPieces) push(piece);
    keptPieces = [];
  };
  try {
    for await (const piece of toPieces(input)) {
      size += piece.length;
      if (lines !== undefined) push(piece);
      else if (size <= MAX_TEXT_BYTES) keptPieces.push(piece.slice());
      if (size >= HEAD && format === undefined) await recognize();
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    problems.add('record', { message: error.message });
  }
  if (format === undefined) await recognize();
  guard(() => {
    if (lines !== undefined) lines.finish();
    else readPieces(keptPieces, size, format as 'otlp' | 'shiviz', sessionParts, options);
  }, size);
  // Only the recorder's times certainly come from one clock.
  if (usesRecorder && !(format === 'mcap' && reading.clock !== undefined))
    table.recorders.push([firstEvent, table.size]);
  const header = lines instanceof NeutralReader ? lines.header : {};
  table.isCausal ||= header.interactions === true;
  for (const [from, end] of header.recorders ?? []) {
    table.recorders.push([firstEvent + from, firstEvent + end]);
  }
  const { name, source, order, skew } = { ...header, ...reading };
  sessionParts.origin = { ...defined({ name, source, order, skew }), ...sessionParts.origin };
  trial?.finish();
  return {
    format: format as SessionFormat,
    ...(unknown !== undefined && { unknown: { head: unknown, patternFit: trial?.bestFit() } }),
  };
}

function toPieces(input: string | Uint8Array | Pieces): Pieces {
  if (typeof input === 'string') return [new TextEncoder().encode(input)];
  return input instanceof Uint8Array ? [input] : input;
}

function readPieces(
  pieces: readonly Uint8Array[],
  size: number,
  format: 'otlp' | 'shiviz',
  { table, traces, problems }: SessionParts,
  options: ReadOptions,
): void {
  if (size > MAX_TEXT_BYTES) {
    const message = `the file has ${size} bytes: at most ${MAX_TEXT_BYTES} can be read in this format`;
    problems.add('record', { message });
    return;
  }
  if (format === 'shiviz') {
    const { text, isUtf8 } = decodeAll(pieces);
    if (!isUtf8) problems.add('record', { message: 'the file is not UTF-8' });
    const { delimiter, execution, reading } = options;
    const { pattern } = reading ?? {};
    readShiviz(text, problems, defined({ pattern, delimiter, execution }), table);
    return;
  }
  const documents: Json[] = [];
  try {
    for (const document of otlpFileToJson(concatenate(pieces))) documents.push(document);
  } catch {
    problems.add('record', { message: 'the file is not valid binary OTLP' });
  }
  for (const document of documents) readOtlp(document, traces);
}
