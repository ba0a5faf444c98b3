import type { CompletionItemKind } from 'vscode-languageserver/node';
import type { Span } from '../../source/index.js';

/** A word that fits at the cursor. */
export interface Candidate {
  readonly label: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string;
  /** What is written for it, where that is not the label. */
  readonly text?: string;
}

/** What fits at a place, and the characters that it replaces. */
export interface Candidates {
  readonly replaces: Span;
  readonly all: readonly Candidate[];
}
