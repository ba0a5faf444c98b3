import { importText, recognizeFormat, type SessionFormat } from './importers/import-text.js';
import type { ShivizOptions } from './importers/shiviz.js';
import { NeutralReader } from './neutral/neutral-reader.js';
import { type Dropped, type Problem, Problems } from './problem.js';
import type { Session } from './session.js';

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
