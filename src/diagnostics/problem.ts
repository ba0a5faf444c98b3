import type { EmbeddedSource, SourceFile, Span } from '../source/index.js';
import type { Diagnostic, Edit, Fix } from './diagnostic.js';
import type { RuleMeta } from './rule.js';

/** What a rule reports, with spans in the text it looked at. */
export interface Finding {
  readonly message: string;
  readonly help?: string;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
  readonly fix?: {
    readonly title: string;
    readonly edits: readonly ProposedEdit[];
  };
}

/** An edit of the text that a rule looked at. */
export interface ProposedEdit extends Edit {
  /** A text that means the same, for a string of the file that can't hold `text`. */
  readonly otherwise?: string;
}

/** A finding and its rule, not yet placed in a file. */
export interface Problem extends Finding {
  readonly rule: RuleMeta;
}

/** Where the text of a problem stands: a file's own text, or a text inside one of its strings. */
export type Place = SourceFile | EmbeddedSource;

/** The file that a place is in. */
export function fileOf(place: Place): SourceFile {
  return 'toFile' in place ? place.file : place;
}

/** The span in the file of a span in the text of a place. */
export function toFile(place: Place, span: Span): Span {
  return 'toFile' in place ? place.toFile(span) : span;
}

/** The diagnostic of a problem that was found in the text of `place`. */
export function locate(problem: Problem, place: Place): Diagnostic {
  const { rule, message, help, span, related, fix } = problem;
  const file = fileOf(place);
  return {
    rule: rule.id,
    severity: rule.severity,
    message,
    ...(help !== undefined && { help }),
    file,
    span: toFile(place, span),
    ...(related !== undefined && {
      related: related.map((other) => ({
        message: other.message,
        file,
        span: toFile(place, other.span),
      })),
    }),
    ...fixIn(place, fix),
  };
}

/** The fix in the file; none where the string it is in can't hold its text. */
function fixIn(place: Place, fix: Finding['fix']): { fix?: Fix } {
  if (fix === undefined) return {};
  const edits: Edit[] = [];
  for (const { span, text, otherwise } of fix.edits) {
    const written = [text, otherwise].map((one) =>
      one !== undefined && 'toFile' in place ? place.write(one) : one,
    );
    const first = written.find((one) => one !== undefined);
    if (first === undefined) return {};
    edits.push({ span: toFile(place, span), text: first });
  }
  return { fix: { title: fix.title, edits } };
}
