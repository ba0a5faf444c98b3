import { expressionsOf } from '../objective/index.js';
import type { EmbeddedSource, Span } from '../source/index.js';
import type { TomlPath } from '../toml/index.js';
import { type ExpressionName, namesOf } from './expression-names.js';
import type { Snapshot } from './snapshot.js';
import { contains } from './view.js';

/** A string of an objective that holds a trace expression. */
export interface ExpressionString {
  readonly path: TomlPath;
  /** The string in the file, quotes included. */
  readonly span: Span;
  readonly source: EmbeddedSource;
}

/** The trace expressions of a snapshot, in no order; none where it is no objective. */
export function expressionSites({ kind, document }: Snapshot): readonly ExpressionString[] {
  if (kind !== 'objective' || document === undefined) return [];
  return expressionsOf(document).map(({ path }) => ({
    path,
    span: document.valueSpan(path),
    source: document.embed(path),
  }));
}

/** The expression whose string an offset is in, between its quotes. */
export function siteAt(snapshot: Snapshot, offset: number): ExpressionString | undefined {
  return expressionSites(snapshot).find(({ span, source }) => {
    const start = source.toFile({ start: 0, end: 0 }).start;
    const quotes = quotesOf(source.file.text, span);
    return offset >= Math.min(start, span.start + quotes) && offset <= span.end - quotes;
  });
}

/** The name of an expression that is written at an offset of the file, or ends there. */
export function nameAt({ source }: ExpressionString, offset: number): ExpressionName | undefined {
  const inner = source.fromFile(offset);
  return namesOf(source.text).find(
    ({ span }) => contains(span, inner) && contains(source.toFile(span), offset),
  );
}

function quotesOf(text: string, { start, end }: Span): number {
  const quote = text.charAt(start);
  return end - start >= 6 && text.startsWith(quote.repeat(3), start) ? 3 : 1;
}
