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

/** An open document at the time of a request. */
export interface View {
  readonly uri: string;
  readonly snapshot: Snapshot;
  readonly catalog?: Catalog;
  readonly recorded?: Recorded;
  readonly rules: readonly RuleMeta[];
}

/** The documents available to requests. */
export interface Documents {
  /** Returns an open document's current state. Returns undefined if Perturb does not check the document. */
  view(uri: string): View | undefined;
  /** Lists the open documents. */
  views(): readonly View[];
  /**
   * Returns a file's open version, or the version on disk if the file is not open. Returns undefined if the file is
   * not TOML.
   */
  documentAt(path: string): TomlDocument | undefined;
  /** Returns the open version of a project's perturb.toml, or the version on disk if the file is not open. */
  projectFile(uri: string): ProjectFile;
}

export interface ProjectFile {
  readonly uri: string;
  /** The file's text; absent if the file does not exist yet. */
  readonly text?: string;
}

/** Handles requests about a document. Responds with null if Perturb does not check the document. */
export function forDocument<P extends { readonly textDocument: TextDocumentIdentifier }, T>(
  answer: (view: View, params: P, documents: Documents) => T,
) {
  return (params: P, documents: Documents): T | null => {
    const view = documents.view(params.textDocument.uri);
    return view === undefined ? null : answer(view, params, documents);
  };
}

/**
 * Handles requests about a position, which the callback receives as an offset. Responds with null if nothing is at the
 * position.
 */
export function forPosition<P extends TextDocumentPositionParams, T>(
  answer: (view: View, offset: number, params: P, documents: Documents) => T | undefined,
) {
  return forDocument((view: View, params: P, documents: Documents): T | null => {
    const offset = toOffset(view.snapshot.file, params.position);
    return answer(view, offset, params, documents) ?? null;
  });
}

/** Converts a span in the document to a range. */
export function rangeOf({ snapshot }: View, span: Span): Range {
  return toRange(snapshot.file, span);
}
