import { type Json, parseJson } from '../values/index.js';
import { importJaeger } from './importers/jaeger.js';
import { importOtlp } from './importers/otlp.js';
import { executionOf, hasClocks, importShiviz, type ShivizOptions } from './importers/shiviz.js';
import { importZipkin } from './importers/zipkin.js';
import { NeutralReader } from './neutral/neutral-reader.js';
import { type Dropped, type Problem, Problems } from './problem.js';
import type { Session } from './session.js';

/** The formats that sessions are read from. */
export const FORMATS = ['session', 'otlp', 'shiviz', 'jaeger', 'zipkin'] as const;

export type SessionFormat = (typeof FORMATS)[number];

/** Keys of the outermost object by which a format is recognized, the first format first. */
const KEYS: readonly (readonly [SessionFormat, readonly string[]])[] = [
  ['otlp', ['resourceSpans', 'resourceLogs', 'resourceMetrics']],
  ['session', ['session', 'probe', 'from', 'to']],
  ['jaeger', ['data', 'spans', 'traceID']],
  ['zipkin', ['traceId', 'localEndpoint']],
];

/** The format of a file, recognized by how it begins; anything else is taken for a session. */
function recognizeFormat(head: string): SessionFormat {
  const text = head.replace(/^\uFEFF?\s*/, '');
  if (text.startsWith('[')) return 'zipkin';
  if (!text.startsWith('{')) return hasClocks(text) ? 'shiviz' : 'session';
  const keys = keysOf(text);
  return KEYS.find(([, known]) => known.some((key) => keys.includes(key)))?.[0] ?? 'session';
}

/** The keys of an object on one line, or the first key of one on several. */
function keysOf(text: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(text.split('\n', 1)[0] as string));
  } catch {
    return /^\{\s*"([^"\\]*)"/.exec(text)?.slice(1) ?? [];
  }
}

type ImportedFormat = Exclude<SessionFormat, 'session'>;

const IMPORTERS = { otlp: importOtlp, jaeger: importJaeger, zipkin: importZipkin } as const;

/**
 * The session of a text in a format that is not the neutral one. What is wrong is added to
 * `problems` and left out.
 *
 * @throws {SyntaxError} for a `pattern` or a `delimiter` that is no regular expression
 */
function importText(
  text: string,
  format: ImportedFormat,
  problems: Problems,
  options: ShivizOptions,
): Session {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (format === 'shiviz') {
    return importShiviz(executionOf(content, options, problems), problems, options);
  }
  return IMPORTERS[format](readDocuments(content, problems), problems);
}

/** The JSON of a text: one document, or one a line. */
function readDocuments(text: string, problems: Problems): readonly Json[] {
  const whole = parseJson(text);
  if (!('problem' in whole)) return [whole.value];
  const lines = text.split('\n');
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined || 'problem' in parseJson(first)) {
    problems.add('record', { message: whole.problem });
    return [];
  }
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const json = parseJson(line);
    if (!('problem' in json)) return [json.value];
    problems.add('record', { line: index + 1, message: json.problem });
    return [];
  });
}

export interface ReadOptions extends ShivizOptions {
  /** Recognized by content where absent. */
  readonly format?: SessionFormat;
  /** Whether what is broken is left out, rather than the whole session. */
  readonly tolerant?: boolean;
}

/** What reading came to. */
export interface SessionReading {
  /** Absent where something is wrong and reading was not tolerant. */
  readonly session?: Session;
  readonly format: SessionFormat;
  /** What is wrong: the first hundred problems. */
  readonly problems: readonly Problem[];
  /** How much is wrong, and left out of a tolerant reading. */
  readonly dropped: Dropped;
}

/** Bytes in pieces; a piece is no longer used once the next one is asked for. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** How much of a file's beginning is looked at to recognize its format. */
const HEAD = 1 << 16;
/** Formats other than the neutral one are read as one text, of at most so many bytes. */
const MOST_TEXT = 500_000_000;

/**
 * Reads a session from a text, from bytes, or from bytes in pieces. Only the neutral form is read
 * as it comes; the others are read whole.
 *
 * @throws {SyntaxError} for a `pattern` or a `delimiter` that is no regular expression
 */
export async function readSession(
  input: string | Uint8Array | Pieces,
  options: ReadOptions = {},
): Promise<SessionReading> {
  const reader = new SessionReader(options);
  for await (const piece of toPieces(input)) reader.push(piece);
  return reader.finish();
}

function toPieces(input: string | Uint8Array | Pieces): Pieces {
  if (typeof input === 'string') return [new TextEncoder().encode(input)];
  return input instanceof Uint8Array ? [input] : input;
}

/** Reads a session whose bytes are pushed. */
class SessionReader {
  private readonly options: ReadOptions;
  private format: SessionFormat | undefined;
  private neutral: NeutralReader | undefined;
  private kept: Uint8Array[] = [];
  private size = 0;

  constructor(options: ReadOptions) {
    this.options = options;
    this.format = options.format;
  }

  push(piece: Uint8Array): void {
    if (this.neutral !== undefined) {
      this.neutral.push(piece);
      return;
    }
    this.size += piece.length;
    if (this.size <= MOST_TEXT) this.kept.push(piece.slice());
    if (this.format === 'session' || (this.format === undefined && this.size >= HEAD)) this.begin();
  }

  /** Settles the format, and begins to read the neutral form from what was kept. */
  private begin(): void {
    this.format ??= recognizeFormat(decode(this.kept, { most: HEAD }));
    if (this.format !== 'session') return;
    this.neutral = new NeutralReader();
    for (const piece of this.kept) this.neutral.push(piece);
    this.kept = [];
  }

  finish(): SessionReading {
    if (this.neutral === undefined) this.begin();
    const { neutral } = this;
    if (neutral !== undefined) {
      const session = neutral.finish();
      return this.outcome(session, neutral.problems);
    }
    const problems = new Problems();
    return this.outcome(this.importKept(problems), problems);
  }

  private importKept(problems: Problems): Session | undefined {
    if (this.size > MOST_TEXT) {
      const message = `the file has ${this.size} bytes: of this format at most ${MOST_TEXT} can be read`;
      problems.add('record', { message });
      return undefined;
    }
    const { kept } = this;
    this.kept = [];
    let text: string;
    try {
      text = decode(kept, { fatal: true });
    } catch {
      problems.add('record', { message: 'the file is not UTF-8' });
      text = decode(kept);
    }
    const format = this.format as Exclude<SessionFormat, 'session'>;
    return importText(text, format, problems, this.options);
  }

  private outcome(session: Session | undefined, problems: Problems): SessionReading {
    const isFine = problems.count === 0 || this.options.tolerant === true;
    return {
      ...(isFine && session !== undefined && { session }),
      format: this.format as SessionFormat,
      problems: problems.inOrder(),
      dropped: problems.dropped,
    };
  }
}

/** The text of bytes, or of the first of them. @throws {TypeError} if asked, for other than UTF-8 */
function decode(
  pieces: readonly Uint8Array[],
  { most = Number.POSITIVE_INFINITY, fatal = false } = {},
): string {
  const decoder = new TextDecoder('utf-8', { fatal });
  let text = '';
  let left = most;
  for (const piece of pieces) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= Math.min(left, piece.length);
  }
  return text + decoder.decode();
}
