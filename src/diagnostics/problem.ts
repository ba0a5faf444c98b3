import type { EmbeddedSource, SourceFile, Span } from '../source/index.js';
import type { Diagnostic, Fix } from './diagnostic.js';
import type { RuleMeta } from './rule.js';

/** What a rule reports, with spans in the text it looked at. */
export interface Finding {
  readonly message: string;
  readonly help?: string;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
  readonly fix?: Fix;
}

/** A finding and its rule, not yet placed in a file. */
export interface Problem extends Finding {
  readonly rule: RuleMeta;
}

/** Where the text of a problem stands: a file's own text, or a text inside one of its strings. */
export type Place = SourceFile | EmbeddedSource;

/** The diagnostic of a problem that was found in the text of `place`. */
export function locate(problem: Problem, place: Place): Diagnostic {
  const [file, toFile] =
    'toFile' in place
      ? [place.file, (span: Span) => place.toFile(span)]
      : [place, (span: Span) => span];
  const { rule, message, help, span, related, fix } = problem;
  return {
    rule: rule.id,
    severity: rule.severity,
    message,
    ...(help !== undefined && { help }),
    file,
    span: toFile(span),
    ...(related !== undefined && {
      related: related.map((other) => ({ message: other.message, file, span: toFile(other.span) })),
    }),
    ...(fix !== undefined && {
      fix: {
        title: fix.title,
        edits: fix.edits.map((edit) => ({ span: toFile(edit.span), text: edit.text })),
      },
    }),
  };
}
