import type { Edit, Severity } from '../../src/diagnostics/index.js';
import type { Span } from '../../src/source/index.js';
import { hold, kindOf } from './target.js';

/** What a finding of any room has. */
interface Found {
  readonly message: string;
  readonly help?: string | undefined;
  readonly severity?: Severity;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
  readonly fix?: { readonly edits: readonly Edit[] } | undefined;
}

/**
 * Holds the findings of a text to what is true of all findings: they lie in
 * the text, come in order, can be read on one line, and their edits can be made.
 */
export function holdFindings(text: string, findings: readonly Found[]): void {
  let last = 0;
  for (const { message, help, span, related = [], fix } of findings) {
    const about = kindOf(message);
    holdSpan(text, span, about);
    hold(span.start >= last, 'findings are out of order');
    last = span.start;
    for (const other of related) holdSpan(text, other.span, `${about}, related`);
    for (const line of [message, help, ...related.map((other) => other.message)]) {
      hold(line === undefined || /^[^\r\n]+$/.test(line), `not on one line: ${about}`);
    }
    let end = 0;
    for (const edit of [...(fix?.edits ?? [])].sort((a, b) => a.span.start - b.span.start)) {
      holdSpan(text, edit.span, `${about}, an edit`);
      hold(edit.span.start >= end, `edits overlap: ${about}`);
      end = edit.span.end;
    }
  }
}

export function holdSpan(text: string, { start, end }: Span, about: string): void {
  hold(0 <= start && start <= end && end <= text.length, `a span outside of the text: ${about}`);
}
