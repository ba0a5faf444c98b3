/**
 * A half-open range `[start, end)` of UTF-16 units in a text: the text of a
 * `SourceFile` (after its BOM) or of an `EmbeddedSource`.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The smallest span that covers both. */
export function cover(a: Span, b: Span): Span {
  return { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}
