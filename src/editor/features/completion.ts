import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver/node';
import type { Span } from '../../source/index.js';
import { siteAt } from '../expression-sites.js';
import { rangeOf, type View } from '../view.js';
import { completeExpression } from './complete-expression.js';
import { completeToml } from './complete-toml.js';

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

/** What can be written at an offset, in an expression or in the TOML around. */
export function completionsAt(view: View, offset: number): CompletionItem[] {
  const site = siteAt(view.snapshot, offset);
  const candidates =
    site === undefined
      ? completeToml(view, offset)
      : completeExpression(view.snapshot, site, offset);
  if (candidates === undefined) return [];
  const range = rangeOf(view, candidates.replaces);
  const seen = new Set<string>();
  return candidates.all
    .filter(({ label }) => !seen.has(label) && seen.add(label))
    .map(({ label, kind, detail, text }) => ({
      label,
      kind,
      ...(detail !== undefined && { detail }),
      textEdit: { range, newText: text ?? label },
    }));
}
