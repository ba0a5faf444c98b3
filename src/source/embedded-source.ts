import { lastIndexAtMost, type SourceFile, type Span } from './source-file.js';

/**
 * A segment of an embedded text: `length` units from offset `inner`. If `width` is 0, each unit corresponds to one unit
 * of the file, from offset `outer`. Otherwise the whole segment corresponds to one escape sequence or normalized line
 * ending, `width` units long, at `outer` in the file.
 */
export interface Segment {
  readonly inner: number;
  readonly length: number;
  readonly outer: number;
  readonly width: number;
}

/** A text inside a file's string, with a map to the file's characters. */
export class EmbeddedSource {
  constructor(
    readonly file: SourceFile,
    readonly text: string,
    /** The segments, in ascending order, covering the text without gaps. */
    private readonly segments: readonly Segment[],
    /** The file offset of the string's content, which is also the position of an empty text. */
    private readonly start: number,
    /**
     * Encodes a text with the string type's escape sequences. Returns undefined if the string cannot represent the
     * text.
     */
    readonly write: (text: string) => string | undefined,
  ) {}

  /**
   * Converts a span in the text to a span in the file, which begins with the first unit's notation and ends with the
   * last unit's. The file span excludes line-ending backslashes before and after these units. An empty span maps to the
   * position before the unit at its offset, or after the last unit at the end of the text.
   */
  toFile(span: Span): Span {
    if (span.start < span.end) {
      return { start: this.#fileSpan(span.start).start, end: this.#fileSpan(span.end - 1).end };
    }
    const { length } = this.text;
    let at = this.start;
    if (span.start < length) at = this.#fileSpan(span.start).start;
    else if (length > 0) at = this.#fileSpan(length - 1).end;
    return { start: at, end: at };
  }

  /**
   * Returns the file edit that replaces a span with a text. Returns undefined if the string type cannot represent the
   * text. The edit also removes a line-ending backslash before the span if the backslash would swallow white space in
   * the new content.
   */
  edit(span: Span, text: string): { readonly span: Span; readonly text: string } | undefined {
    const written = this.write(text);
    if (written === undefined) return undefined;
    const { start, end } = this.toFile(span);
    const previousEnd = span.start === 0 ? this.start : this.#fileSpan(span.start - 1).end;
    const isBlankNext = /^[ \t\r\n]/.test(written + this.file.text.charAt(end));
    return { span: { start: isBlankNext ? previousEnd : start, end }, text: written };
  }

  /**
   * Converts an offset in the file to an offset in the text. The offset must lie in the string's content. An offset
   * inside an escape sequence or a line ending maps to the offset of the character represented. An offset inside a
   * line-ending backslash maps to the offset where the text continues.
   */
  fromFile(offset: number): number {
    const segment = this.#lastFrom('outer', offset);
    if (segment === undefined) return 0;
    const past = offset - segment.outer;
    if (segment.width > 0) return segment.inner + (past < segment.width ? 0 : segment.length);
    return segment.inner + Math.min(past, segment.length);
  }

  /**
   * Returns the last segment that begins at or before an offset in the text (`inner`) or the file
   * (`outer`).
   */
  #lastFrom(side: 'inner' | 'outer', offset: number): Segment | undefined {
    const { segments } = this;
    return segments[
      lastIndexAtMost(offset, segments.length, (index) => (segments[index] as Segment)[side])
    ];
  }

  #fileSpan(unit: number): Span {
    const segment = this.#lastFrom('inner', unit);
    if (segment === undefined || unit >= segment.inner + segment.length) {
      throw new RangeError(
        `offset ${unit} is outside an embedded text of length ${this.text.length}`,
      );
    }
    if (segment.width > 0) {
      return { start: segment.outer, end: segment.outer + segment.width };
    }
    const start = segment.outer + (unit - segment.inner);
    return { start, end: start + 1 };
  }
}
