import { exitCodes, PerturbError } from '../basics/index.js';
import { type Json, parseJson } from '../values/index.js';
import type { Problems } from './problem.js';

const NEWLINE = 0x0a;
const BOM = 0xfeff;

/** Maximum length of a line in bytes. Prevents a file without line breaks from filling the memory. */
const MAX_LINE = 64 << 20;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A line's text, or the reason that the line cannot be read. */
export type TextLine = { readonly text: string } | { readonly problem: string };

/** Splits a stream of bytes into lines. Buffers only the current unfinished line. */
export class Lines {
  private line: number;
  private readonly maxLength: number;
  private buffer = new Uint8Array(1 << 16);
  private filledLength = 0;
  /** True while skipping the rest of an overlong line. */
  private skipping = false;

  /**
   * @param take called with each line, without its line break, and with the line number, from 1
   * @param before the number of lines already read
   * @param longest the maximum length of a line in bytes
   */
  constructor(
    private readonly take: (line: TextLine, number: number) => void,
    { before: linesBefore = 0, longest: maxLength = MAX_LINE } = {},
  ) {
    this.line = linesBefore;
    this.maxLength = maxLength;
  }

  /** Reads the next bytes. The caller may then reuse the array. */
  push(bytes: Uint8Array): void {
    const room = this.filledLength + bytes.length;
    if (room > this.buffer.length) {
      const largerBuffer = new Uint8Array(Math.max(room, this.buffer.length * 2));
      largerBuffer.set(this.buffer.subarray(0, this.filledLength));
      this.buffer = largerBuffer;
    }
    this.buffer.set(bytes, this.filledLength);
    const end = this.filledLength + bytes.lastIndexOf(NEWLINE) + 1;
    if (end > this.filledLength) {
      this.takeLines(this.buffer.subarray(0, end));
      this.buffer.copyWithin(0, end, room);
      this.filledLength = room - end;
    } else this.filledLength = room;
    if (this.filledLength > this.maxLength) {
      const problem = `the line is longer than ${this.maxLength >> 20} MiB`;
      if (!this.skipping) this.take({ problem }, this.line + 1);
      this.skipping = true;
      this.filledLength = 0;
    }
  }

  /** Emits the last line, if it lacks a line break. */
  finish(): void {
    if (this.filledLength > 0 || this.skipping)
      this.takeLine(this.buffer.subarray(0, this.filledLength));
    this.buffer = new Uint8Array(0);
  }

  /** Emits complete lines. Decodes them together, unless a line is invalid or to be skipped. */
  private takeLines(bytes: Uint8Array): void {
    const text = this.skipping ? undefined : decodeText(bytes);
    if (text === undefined) {
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(NEWLINE, start);
        this.takeLine(bytes.subarray(start, end));
        start = end + 1;
      }
      return;
    }
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf('\n', start);
      this.takeText(text.slice(start, end));
      start = end + 1;
    }
  }

  private takeLine(bytes: Uint8Array): void {
    const text = this.skipping ? undefined : decodeText(bytes);
    if (text !== undefined) this.takeText(text);
    else if (this.skipping) this.line++;
    else this.take({ problem: 'the line is not UTF-8' }, ++this.line);
    this.skipping = false;
  }

  private takeText(text: string): void {
    this.take({ text: text.charCodeAt(0) === BOM ? text.slice(1) : text }, ++this.line);
  }
}

/** Decodes UTF-8; returns undefined for invalid bytes. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Maximum size in bytes of a text that is not streamed, such as a single JSON document. */
export const MAX_TEXT_BYTES = 500_000_000;

/**
 * Reads JSON from a stream of bytes: one document per line if the first line is a document, otherwise a single
 * document. Buffers only the current unfinished line, or the single document.
 */
export class JsonDocuments {
  /** The bytes read so far, of the first line or the single document. */
  private jsonPieces: Uint8Array[] = [];
  private size = 0;
  private count = 0;
  private isSingleDocument = false;
  private lines: Lines | undefined;
  /** Called before a large allocation of `bytes` bytes. Throws if the memory is not available. */
  expectMemory: (bytes: number, purpose: string) => void = () => {};

  /**
   * @param take called with each document
   * @param mayLackEnd true if the single document may be an array without its closing bracket
   */
  constructor(
    private readonly take: (document: Json) => void,
    protected readonly problems: Problems,
    private readonly mayLackEnd = false,
  ) {}

  /** Reads the next bytes. The caller may then reuse the array. */
  push(bytes: Uint8Array): void {
    let remaining = bytes;
    while (this.lines === undefined && !this.isSingleDocument) {
      const end = remaining.indexOf(NEWLINE);
      if (end < 0) break;
      this.keep(remaining.subarray(0, end + 1));
      this.takeFirst();
      remaining = remaining.subarray(end + 1);
    }
    if (this.lines === undefined) this.keep(remaining);
    else this.lines.push(remaining);
  }

  /** Reads the single document, or the last line if it lacks a line break. */
  finish(): void {
    if (this.lines !== undefined) {
      this.lines.finish();
      return;
    }
    if (this.size > MAX_TEXT_BYTES) {
      const message = `the file has ${this.size} bytes in one document: at most ${MAX_TEXT_BYTES} can be read; write one document per line, as in JSON Lines, or split the file`;
      this.problems.add('record', { message });
      return;
    }
    this.expectMemory(memorySize(this.jsonPieces), 'the document');
    const { text, isUtf8 } = decodeAll(this.jsonPieces);
    this.jsonPieces = [];
    if (!isUtf8) this.problems.add('record', { message: 'the file is not UTF-8' });
    const json = parseJson(this.mayLackEnd ? closeArray(text) : text);
    const concatenatedDocuments = 'problem' in json ? parseDocuments(text) : undefined;
    if (concatenatedDocuments !== undefined)
      for (const document of concatenatedDocuments) this.take(document);
    else if ('problem' in json) this.problems.add('record', { message: json.problem });
    else this.take(json.value);
  }

  private keep(bytes: Uint8Array): void {
    this.size += bytes.length;
    if (this.size <= MAX_TEXT_BYTES) this.jsonPieces.push(bytes.slice());
    else this.jsonPieces = [];
  }

  /** Detects JSON Lines from the first line that is not blank. */
  private takeFirst(): void {
    this.count++;
    if (this.size > MAX_TEXT_BYTES) return;
    this.expectMemory(memorySize(this.jsonPieces), 'the document');
    const { text, isUtf8 } = decodeAll(this.jsonPieces);
    const isBlank = text.trim() === '';
    const json = isBlank ? undefined : parseJson(text);
    this.isSingleDocument = json !== undefined && (!isUtf8 || 'problem' in json);
    if (this.isSingleDocument) return;
    this.jsonPieces = [];
    this.size = 0;
    if (json === undefined || 'problem' in json) return;
    this.takeFrom(this.count, json.value);
    const lineOptions = { before: this.count, longest: MAX_TEXT_BYTES };
    this.lines = new Lines((line, number) => this.takeLine(line, number), lineOptions);
  }

  private takeLine(line: TextLine, number: number): void {
    if ('text' in line && line.text.trim() === '') return;
    const json = 'problem' in line ? line : parseJson(line.text);
    if (!('problem' in json)) this.takeFrom(number, json.value);
    else this.problems.add('record', { line: number, message: json.problem });
  }

  private takeFrom(line: number, document: Json): void {
    this.problems.line = line;
    this.take(document);
    this.problems.line = undefined;
  }
}

/** Parses concatenated JSON objects that each start a line; returns undefined if any is invalid. */
function parseDocuments(text: string): readonly Json[] | undefined {
  const documents: Json[] = [];
  for (const part of text.split(/^(?=\{)/m)) {
    const json = parseJson(part);
    if ('problem' in json) return undefined;
    documents.push(json.value);
  }
  return documents;
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** Estimates the memory for JSON as text and as objects, in bytes. */
function memorySize(pieces: readonly Uint8Array[]): number {
  let memory = 0;
  for (const piece of pieces) {
    memory += 2 * piece.length;
    for (const byte of piece) {
      if (byte === BRACKET || byte === BRACE) memory += 64;
      else if (byte === COMMA) memory += 16;
    }
  }
  return memory;
}

/** Adds an array's closing bracket if it is missing. */
function closeArray(text: string): string {
  const lacksEnd = text.trimStart().startsWith('[') && !text.trimEnd().endsWith(']');
  return lacksEnd ? `${text.trimEnd().replace(/,$/, '')}]` : text;
}

/** Concatenates pieces of bytes. */
export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/**
 * Decodes pieces of UTF-8, up to `maxLength` bytes. Replaces invalid bytes with U+FFFD, and then returns `isUtf8:
 * false`.
 */
export function decodeAll(
  pieces: readonly Uint8Array[],
  maxLength = Number.POSITIVE_INFINITY,
): { readonly text: string; readonly isUtf8: boolean } {
  try {
    return { text: decode(pieces, maxLength, true), isUtf8: true };
  } catch {
    return { text: decode(pieces, maxLength, false), isUtf8: false };
  }
}

function decode(pieces: readonly Uint8Array[], maxLength: number, fatal: boolean): string {
  const decoder = new TextDecoder('utf-8', { fatal });
  let text = '';
  let remaining = maxLength;
  for (const piece of pieces) {
    text += decoder.decode(piece.subarray(0, remaining), { stream: true });
    remaining -= Math.min(remaining, piece.length);
  }
  return text + decoder.decode();
}

/** The error for damaged or incomplete zstd data. */
export class DamagedZstd extends PerturbError<'damaged-zstd'> {
  constructor(message: string) {
    super('damaged-zstd', message, exitCodes.usage);
  }
}

/** Maximum number of compressed bytes passed to the library at once. */
const ZSTD_PIECE = 1 << 16;
/** Minimum size of a frame in bytes, for an empty frame. */
const SHORTEST_FRAME = 8;

/** The interface of zstddec's decoder, declared without importing the package. */
export interface ZstdDecoder {
  decodeStreaming(pieces: Iterable<Uint8Array>): Generator<Uint8Array>;
}

/** Loads and initializes the zstd decoder. */
export async function loadZstd(): Promise<ZstdDecoder> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}

/** Decompresses zstd piece by piece, and verifies the frames' checksums, if any. */
export class ZstdStream {
  private readonly pendingInput: Uint8Array[] = [];
  private readonly output: Generator<Uint8Array>;
  /** The number of consecutive reads without output or a request for input. */
  private idleReads = 0;

  constructor(decoder: ZstdDecoder) {
    this.output = decoder.decodeStreaming(this.takeWaiting());
  }

  private *takeWaiting(): Generator<Uint8Array, void, undefined> {
    for (
      let piece = this.pendingInput.shift();
      piece !== undefined;
      piece = this.pendingInput.shift()
    ) {
      for (let at = 0; at < piece.length; at += ZSTD_PIECE) {
        this.idleReads = 0;
        yield piece.subarray(at, at + ZSTD_PIECE);
      }
    }
  }

  /**
   * Queues a piece, and decompresses the pieces before it. The caller must not change the piece.
   *
   * @throws {DamagedZstd}
   */
  *push(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
    this.pendingInput.push(piece);
    // The library requests input while decompressing, so one piece must stay in the queue.
    while (this.pendingInput.length > 1) yield* this.next();
  }

  /** Decompresses the remaining input. @throws {DamagedZstd} for damaged or incomplete data */
  *finish(): Generator<Uint8Array, void, undefined> {
    for (let isDone = false; !isDone; ) isDone = yield* this.next();
  }

  /** Decompresses the next bytes, if any. Returns true at the end of the data. */
  private *next(): Generator<Uint8Array, boolean, undefined> {
    let next: IteratorResult<Uint8Array>;
    try {
      next = this.output.next();
    } catch {
      throw new DamagedZstd('it is truncated');
    }
    if (next.done === true) return true;
    if (next.value.length > 0) {
      this.idleReads = 0;
      yield next.value;
    } else if (this.idleReads++ > ZSTD_PIECE / SHORTEST_FRAME) {
      // The library reports no error here, but makes no progress.
      throw new DamagedZstd('a part of it is damaged');
    }
    return false;
  }
}
