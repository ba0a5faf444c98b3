import type {
  Range,
  TextDocumentIdentifier,
  TextDocumentPositionParams,
} from 'vscode-languageserver/node';
import type { RuleMeta } from '../diagnostics/index.js';
import type { Recorded } from '../expression/index.js';
import type { Catalog } from '../mutators/index.js';
import type { Span } from '../source/index.js';
import type { TomlDocument } from '../toml/index.js';
import type { Snapshot } from './snapshot.js';
import { toOffset, toRange } from './text/places.js';

/** An open document as of a request. */
export interface View {
  readonly uri: string;
  readonly snapshot: Snapshot;
  readonly catalog?: Catalog;
  readonly recorded?: Recorded;
  readonly rules: readonly RuleMeta[];
}

/** The documents available to requests. */
export interface Documents {
  /** Returns the current state of an open document; undefined if Perturb does not check it. */
  view(uri: string): View | undefined;
  /** Lists the open documents. */
  views(): readonly View[];
  /** Returns a file's open version, or else the one on disk; undefined if it is not TOML. */
  documentAt(path: string): TomlDocument | undefined;
  /** Returns the open version of a project's perturb.toml, or else the one on disk. */
  projectFile(uri: string): ProjectFile;
}

export interface ProjectFile {
  readonly uri: string;
  /** Absent if there is no such file yet. */
  readonly text?: string;
}

/** Handles requests about a document; the answer is null if Perturb does not check it. */
export function forDocument<P extends { readonly textDocument: TextDocumentIdentifier }, T>(
  answer: (view: View, params: P, documents: Documents) => T,
) {
  return (params: P, documents: Documents): T | null => {
    const view = documents.view(params.textDocument.uri);
    return view === undefined ? null : answer(view, params, documents);
  };
}

/** Handles requests about a position, passed on as an offset; the answer is null if nothing is there. */
export function forPosition<P extends TextDocumentPositionParams, T>(
  answer: (view: View, offset: number, params: P, documents: Documents) => T | undefined,
) {
  return forDocument((view: View, params: P, documents: Documents): T | null => {
    const offset = toOffset(view.snapshot.file, params.position);
    return answer(view, offset, params, documents) ?? null;
  });
}

/** Returns the range of a span of the document. */
export function rangeOf({ snapshot }: View, span: Span): Range {
  return toRange(snapshot.file, span);
}
