import type { SourceFile, Span } from '../../source/index.js';
import type { Line } from './window.js';

/** A place to underline in a frame, and what to say beside it. */
export interface Annotation {
  readonly kind: 'primary' | 'related';
  readonly span: Span;
  readonly label?: string;
}

/** The first and the last line of a span, from 1. A line end belongs to the line that it ends. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export function linesOf(file: SourceFile, span: Span): LineRange {
  const lastUnit = Math.max(span.start, span.end - 1);
  return {
    first: file.lines.position(span.start).line,
    last: file.lines.position(lastUnit).line,
  };
}

/**
 * What of a span to underline on one of its lines: on the first line from where it
 * starts, on the others after the indentation. Undefined where nothing is left.
 */
export function partOn(line: Line, span: Span): Span | undefined {
  const end = Math.min(span.end, line.end);
  if (span.start >= line.start) {
    const start = Math.min(span.start, line.end);
    return { start, end: Math.max(start, end) };
  }
  const indentation = line.text.search(/[^ \t]/);
  const start = line.start + indentation;
  return indentation !== -1 && start < end ? { start, end } : undefined;
}
