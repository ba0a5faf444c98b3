import { lastAtMost, type SourceFile, type Span } from './source-file.js';

/**
 * One stretch of an embedded text: `length` units from `inner` on. Where
 * `width` is 0 each unit is itself one unit of the file, from `outer` on;
 * otherwise all of them together are written with `width` units at `outer`
 * (an escape, a normalised line end).
 */
export interface Segment {
  readonly inner: number;
  readonly length: number;
  readonly outer: number;
  readonly width: number;
}

/** A text that is written inside a file's string, and the map back to the file's characters. */
export class EmbeddedSource {
  constructor(
    readonly file: SourceFile,
    readonly text: string,
    /** In ascending order, covering the text without gaps. */
    private readonly segments: readonly Segment[],
    /** Where the string's content begins in the file: the place of an empty text. */
    private readonly start: number,
    /** A text as it is written in this string; undefined when this kind of string cannot hold it. */
    readonly write: (text: string) => string | undefined,
  ) {}

  /**
   * The span in the file of a span in the text. Its start is where the first
   * unit is written, its end where the notation of the last unit ends: a
   * line-ending backslash around the span is not part of it. An empty span
   * lies before the unit at its offset, or after the last unit at the end.
   */
  toFile(span: Span): Span {
    if (span.start < span.end) {
      return { start: this.#place(span.start).start, end: this.#place(span.end - 1).end };
    }
    const { length } = this.text;
    let at = this.start;
    if (span.start < length) at = this.#place(span.start).start;
    else if (length > 0) at = this.#place(length - 1).end;
    return { start: at, end: at };
  }

  /**
   * The edit of the file that writes a text in place of a span; undefined when this kind of string
   * cannot hold it. It takes away a line-ending backslash that would remove white space after it.
   */
  edit(span: Span, text: string): { readonly span: Span; readonly text: string } | undefined {
    const written = this.write(text);
    if (written === undefined) return undefined;
    const { start, end } = this.toFile(span);
    const before = span.start === 0 ? this.start : this.#place(span.start - 1).end;
    const isBlankNext = /^[ \t\r\n]/.test(written + this.file.text.charAt(end));
    return { span: { start: isBlankNext ? before : start, end }, text: written };
  }

  /**
   * The offset in the text of an offset in the file, which must lie in the string's content. Within the
   * notation of an escape or of a line end, it is where that begins in the text; in a line-ending
   * backslash, where the text continues after it.
   */
  fromFile(offset: number): number {
    const segment = this.#lastFrom('outer', offset);
    if (segment === undefined) return 0;
    const past = offset - segment.outer;
    if (segment.width > 0) return segment.inner + (past < segment.width ? 0 : segment.length);
    return segment.inner + Math.min(past, segment.length);
  }

  /** The last segment that begins at or before an offset of the text, or of the file. */
  #lastFrom(side: 'inner' | 'outer', offset: number): Segment | undefined {
    const { segments } = this;
    return segments[
      lastAtMost(offset, segments.length, (index) => (segments[index] as Segment)[side])
    ];
  }

  #place(unit: number): Span {
    const segment = this.#lastFrom('inner', unit);
    if (segment === undefined || unit >= segment.inner + segment.length) {
      throw new RangeError(`no unit ${unit} in an embedded text of ${this.text.length}`);
    }
    if (segment.width > 0) {
      return { start: segment.outer, end: segment.outer + segment.width };
    }
    const start = segment.outer + (unit - segment.inner);
    return { start, end: start + 1 };
  }
}
