import { type CompletionItem, MarkupKind } from 'vscode-languageserver/node';
import { siteAt } from '../expression-sites.js';
import { rangeOf, type View } from '../view.js';
import { completeExpression } from './complete-expression.js';
import { completeToml } from './complete-toml.js';

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
    .map(({ label, kind, description, text }) => ({
      label,
      kind,
      ...(description !== undefined && {
        documentation: { kind: MarkupKind.Markdown, value: description },
      }),
      textEdit: { range, newText: text ?? label },
    }));
}
