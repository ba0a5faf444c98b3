import type { EmbeddedSource, SourceFile, Span } from '../source/index.js';
import type { Edit, Finding, Fix } from './finding.js';
import type { RuleMeta } from './rule.js';
import type { Violation } from './violation.js';

/** Where a text stands: a file's own text, or a text inside one of its strings. */
export type Place = SourceFile | EmbeddedSource;

/** The span in the file of a span in the text of a place. */
export function toFile(place: Place, span: Span): Span {
  return 'toFile' in place ? place.toFile(span) : span;
}

/** The finding of a violation in the text of `place`. */
export function locate(rule: RuleMeta, violation: Violation, place: Place): Finding {
  const { message, help, span, related, fix } = violation;
  const file = 'toFile' in place ? place.file : place;
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

/** The fix in the file; none where the string it is in cannot hold its text. */
function fixIn(place: Place, fix: Violation['fix']): { fix?: Fix } {
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
