import type { Range } from 'vscode-languageserver/node';
import type { RuleMeta } from '../diagnostics/index.js';
import type { Catalog } from '../mutators/index.js';
import type { Span } from '../source/index.js';
import type { Snapshot } from './snapshot.js';
import type { Positions } from './text/positions.js';

/** A document as a request of the client sees it. */
export interface View {
  readonly uri: string;
  readonly snapshot: Snapshot;
  readonly positions: Positions;
  readonly catalog?: Catalog;
  readonly rules: readonly RuleMeta[];
}

/** The range of a span of the document. */
export function rangeOf({ snapshot, positions }: View, span: Span): Range {
  return positions.toRange(snapshot.file, span);
}

export function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}
