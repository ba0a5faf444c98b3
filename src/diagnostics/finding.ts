import {
  compareCodePoints,
  type EmbeddedSource,
  type SourceFile,
  type Span,
} from '../source/index.js';
import { isPlain } from './wording.js';

/**
 * What a rule reports: a finding without its rule and its file. Spans are in the
 * text that the rule looked at, whether a file's or one inside a string of a file.
 */
export interface Violation {
  /** What is wrong: lower case, no full stop, the offender in quotes. */
  readonly message: string;
  /** What to do about it. */
  readonly help?: string | undefined;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
  /** What should be at the span: a suggested fix. A string in a file keeps its quotes. */
  readonly instead?: string | undefined;
  readonly fix?: ProposedFix | undefined;
  /** The severity, if it is not that of the rule. */
  readonly severity?: Severity;
}

/** A fix of the text that a rule looked at. */
export interface ProposedFix extends Omit<Fix, 'edits' | 'alternatives'> {
  readonly edits: readonly ProposedEdit[];
  readonly alternatives?: readonly ProposedFix[];
}

/** An edit of the text that a rule looked at. */
export interface ProposedEdit extends Edit {
  /** A text that means the same, for a string of the file that cannot hold `text`. */
  readonly otherwise?: string;
}

/** How much a finding weighs: an error fails the run, a warning does not by itself. */
export type Severity = 'error' | 'warning';

/** Another place that explains a finding. */
export interface Related {
  readonly message: string;
  readonly file: SourceFile;
  readonly span: Span;
}

/** Replaces the characters of a span. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** A correction: `edits` do not overlap and are all in the finding's file. */
export interface Fix {
  readonly title: string;
  /** A safe one leaves no doubt about what was meant; a suggested one is one of several possible meanings. */
  readonly kind: 'safe' | 'suggested';
  readonly edits: readonly Edit[];
  /** The other meanings. */
  readonly alternatives?: readonly Fix[];
}

/** Metadata of a part of a file, such as requirement ids: the values of each word. */
export type Metadata = Readonly<Record<string, readonly string[]>>;

/** One finding. Spans are in `file`'s text. */
export interface Finding {
  /** The id of the rule, `room/name`. */
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong: lower case, no full stop, the offender in quotes. */
  readonly message: string;
  /** What to do about it. */
  readonly help?: string;
  readonly file: SourceFile;
  readonly span: Span;
  readonly related?: readonly Related[];
  readonly fix?: Fix;
  /** That of the part of the file that it is in. */
  readonly metadata?: Metadata;
}

/** Where a text stands: a file's own text, or a text inside one of its strings. */
export type Place = SourceFile | EmbeddedSource;

/** The span in the file of a span in the text of a place. */
export function toFile(place: Place, span: Span): Span {
  return 'toFile' in place ? place.toFile(span) : span;
}

/** The finding of a violation in the text of `place`. */
export function locate(
  rule: Pick<Finding, 'severity'> & { readonly id: string },
  violation: Violation,
  place: Place,
): Finding {
  const { message, help, span, related, instead } = violation;
  const inFile = 'toFile' in place;
  const file = inFile ? place.file : place;
  const quoted =
    instead === undefined || inFile
      ? instead
      : inQuotesOf(file.text.slice(span.start, span.end), instead);
  const fix = proposedFix({ ...violation, instead: quoted });
  const written = fix && fixIn(place, fix);
  return {
    rule: rule.id,
    severity: violation.severity ?? rule.severity,
    message,
    ...(help !== undefined && { help }),
    file,
    span: toFile(place, span),
    ...(related !== undefined &&
      related.length > 0 && {
        related: related.map((one) => ({ ...one, file, span: toFile(place, one.span) })),
      }),
    ...(written !== undefined && { fix: written }),
  };
}

/** The fix that a violation comes with. */
export function proposedFix({ fix, instead, span }: Violation): ProposedFix | undefined {
  return fix !== undefined || instead === undefined ? fix : suggestedFix(span, instead);
}

/** A suggestion to write a text in place of a span. */
export function suggestedFix(
  span: Span,
  text: string,
  title = text === '' ? 'delete it' : `write ${text}`,
): ProposedFix {
  return { title, kind: 'suggested', edits: [{ span, text }] };
}

/** The fix in the file; none if the string it is in cannot hold its text. */
function fixIn(place: Place, fix: ProposedFix): Fix | undefined {
  const edits: Edit[] = [];
  for (const { span, text, otherwise = text } of fix.edits) {
    const edit =
      'edit' in place ? (place.edit(span, text) ?? place.edit(span, otherwise)) : { span, text };
    if (edit === undefined) return undefined;
    edits.push(edit);
  }
  const alternatives = fix.alternatives?.flatMap((other) => fixIn(place, other) ?? []);
  return { ...fix, edits, ...(alternatives && { alternatives }) };
}

/** A text as it is written in a file in place of another: in the same kind of quotes, if that has any. */
function inQuotesOf(written: string, text: string): string {
  if (written.startsWith("'") && isPlain(text) && !text.includes("'")) return `'${text}'`;
  return /^["']/.test(written) ? JSON.stringify(text) : text;
}

export interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

/** Counts findings by severity. */
export function count(findings: readonly Finding[]): Counts {
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

/**
 * The findings by file (in the order of code points), then start, then end,
 * then rule; of several with the same rule, span and message, only the first.
 */
export function arrange(findings: readonly Finding[]): Finding[] {
  if (findings.length === 0) return [];
  const seen = new Set<string>();
  const distinct = findings.filter((finding) => {
    const { file, rule, span, message } = finding;
    const key = [file.path, rule, span.start, span.end, message].join('\0');
    return !seen.has(key) && seen.add(key);
  });
  return distinct.sort(
    (a, b) =>
      compareCodePoints(a.file.path, b.file.path) ||
      a.span.start - b.span.start ||
      a.span.end - b.span.end ||
      compareCodePoints(a.rule, b.rule),
  );
}
