import { CompletionItemKind } from 'vscode-languageserver/node';
import type { Span } from '../../source/index.js';
import { writeString } from '../../toml/index.js';

/** A word that fits at the cursor. */
export interface Candidate {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** What it is, in Markdown. */
  readonly description?: string;
  /** What is written for it, where that is not the label. */
  readonly text?: string;
}

/** What fits at a place, and the characters that it replaces. */
export interface Candidates {
  readonly replaces: Span;
  readonly all: readonly Candidate[];
}

/** A string, which is written with its quotes. */
export function quoted(label: string): Candidate {
  return {
    label,
    kind: CompletionItemKind.Value,
    text: writeString(label) ?? JSON.stringify(label),
  };
}

/** A value without quotes. */
export function plain(label: string): Candidate {
  return { label, kind: CompletionItemKind.Value };
}
