import { partitionPoint } from '../basics/index.js';

/**
 * A half-open range `[start, end)` of UTF-16 code units in the text of a `SourceFile`, without its BOM, or of an
 * `EmbeddedSource`.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the smallest span that covers two spans. */
export function cover(a: Span, b: Span): Span {
  return { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

/**
 * A position in a text. Columns and offsets count UTF-16 code units. `offset` is zero-based; `line` and `column` are
 * one-based.
 */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The positions of a text's lines. Lines end with LF or CRLF. */
export interface LineIndex {
  readonly lineCount: number;
  /** Returns the position of an offset from 0 to the text's length, inclusive. */
  position(offset: number): Position;
  /** Returns the text of a line (from 1), without its line ending. */
  line(line: number): string;
  /** Returns the offset at which a line (from 1) begins. */
  lineStart(line: number): number;
}

/** Indexes a text's lines in linear time. Each position lookup then takes logarithmic time. */
export function indexLines(text: string): LineIndex {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  const lineStart = (line: number): number => {
    const start = starts[line - 1];
    if (start === undefined)
      throw new RangeError(`line ${line} is outside a text of ${starts.length} lines`);
    return start;
  };
  return {
    lineCount: starts.length,
    lineStart,
    position(offset) {
      if (offset < 0 || offset > text.length) {
        throw new RangeError(`offset ${offset} is outside a text of length ${text.length}`);
      }
      const at = lastIndexAtMost(offset, starts.length, (index) => starts[index] as number);
      return { offset, line: at + 1, column: offset - (starts[at] as number) + 1 };
    },
    line(line) {
      const start = lineStart(line);
      const end = line < starts.length ? lineStart(line + 1) - 1 : text.length;
      return text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
    },
  };
}

/**
 * Returns the index of the last number in an ascending sequence that is at most `value`, or -1 if all numbers are
 * greater.
 *
 * @param count the sequence's length
 * @param numberAt returns the number at an index
 */
export function lastIndexAtMost(
  value: number | bigint,
  count: number,
  numberAt: (index: number) => number | bigint,
): number {
  return partitionPoint(0, count, (index) => numberAt(index) <= value) - 1;
}

/** A text with a display name. Indexes its lines on first use. */
export class SourceFile {
  #lines: LineIndex | undefined;

  constructor(
    /** The path to display, as the user would type it. `-` stands for stdin. */
    readonly path: string,
    /** The text, without a BOM. */
    readonly text: string,
    /** True if the file began with a BOM, which a rewrite must keep. */
    readonly bom: boolean = false,
  ) {}

  get lines(): LineIndex {
    this.#lines ??= indexLines(this.text);
    return this.#lines;
  }
}

/**
 * Compares texts by code point, and returns a negative number, zero or a positive number. UTF-16 order differs, because
 * surrogates, which encode the highest code points, sort below the code units from U+E000 on.
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === shorter) return a.length - b.length;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

/** Returns a UTF-16 code unit's rank, with surrogates above all other code units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Returns the item of an Int32Array at an index known to be in bounds, without the `undefined` that the compiler adds
 * to `array[index]`. Pass only Int32Arrays, because V8 would otherwise run the callers' loops several times slower.
 *
 * @param index from 0, below the array's length
 */
export function at(array: Int32Array, index: number): number {
  return array[index] as number;
}

/**
 * Returns the item of a Float64Array, Uint8Array or BigInt64Array at an index known to be in bounds. Calls with another
 * array type would slow down all calls.
 */
export function itemAt(array: ArrayLike<number>, index: number): number;
export function itemAt(array: ArrayLike<bigint>, index: number): bigint;
export function itemAt<T>(array: ArrayLike<T>, index: number): T {
  return array[index] as T;
}
