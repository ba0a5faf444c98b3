import {
  compareCodePoints,
  type EmbeddedSource,
  type SourceFile,
  type Span,
} from '../source/index.js';
import { isPlain } from './wording.js';

/**
 * A finding without its rule and file. Spans are in the text that the rule checks: a file's, or one
 * inside a string of a file.
 */
export interface Violation {
  /** The mistake: lower case, no full stop, the offending text in quotes. */
  readonly message: string;
  /** The remedy. */
  readonly help?: string | undefined;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
  /** The right text for the span, offered as a suggested fix. A string in a file keeps its quotes. */
  readonly instead?: string | undefined;
  readonly fix?: ProposedFix | undefined;
  /** The severity, if not the rule's. */
  readonly severity?: Severity;
}

/** A fix in the text that a rule checks. */
export interface ProposedFix extends Omit<Fix, 'edits' | 'alternatives'> {
  readonly edits: readonly ProposedEdit[];
  readonly alternatives?: readonly ProposedFix[];
}

/** An edit in the text that a rule checks. */
export interface ProposedEdit extends Edit {
  /** An equivalent text, for a string of the file that cannot hold `text`. */
  readonly otherwise?: string;
}

/** A finding's severity: an error fails the run, a warning alone does not. */
export type Severity = 'error' | 'warning';

/** Another span that explains a finding. */
export interface Related {
  readonly message: string;
  readonly file: SourceFile;
  readonly span: Span;
}

/** A replacement of a span's characters. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** A correction. Its `edits` do not overlap and are all in the finding's file. */
export interface Fix {
  readonly title: string;
  /** Safe if the intention is certain; suggested if it is one of several possible ones. */
  readonly kind: 'safe' | 'suggested';
  readonly edits: readonly Edit[];
  /** Fixes for the other possible intentions. */
  readonly alternatives?: readonly Fix[];
}

/** Metadata of a part of a file, such as requirement ids: the values of each key. */
export type Metadata = Readonly<Record<string, readonly string[]>>;

/** One finding. Spans are in `file`'s text. */
export interface Finding {
  /** The id of the rule, `room/name`. */
  readonly rule: string;
  readonly severity: Severity;
  /** The mistake: lower case, no full stop, the offending text in quotes. */
  readonly message: string;
  /** The remedy. */
  readonly help?: string;
  readonly file: SourceFile;
  readonly span: Span;
  readonly related?: readonly Related[];
  readonly fix?: Fix;
  /** The metadata of the enclosing part of the file. */
  readonly metadata?: Metadata;
}

/** The origin of a text: a file itself, or one of its strings. */
export type Place = SourceFile | EmbeddedSource;

/** Returns the span in the file of a span in the text of a place. */
export function toFile(place: Place, span: Span): Span {
  return 'toFile' in place ? place.toFile(span) : span;
}

/** Returns the finding of a violation in the text of `place`. */
export function locate(
  rule: Pick<Finding, 'severity'> & { readonly id: string },
  violation: Violation,
  place: Place,
): Finding {
  const { message, help, span, related, instead } = violation;
  const inFile = 'toFile' in place;
  const file = inFile ? place.file : place;
  const quotedHelp =
    instead === undefined || inFile
      ? instead
      : inQuotesOf(file.text.slice(span.start, span.end), instead);
  const fix = proposedFix({ ...violation, instead: quotedHelp });
  const fileFix = fix && fixIn(place, fix);
  return {
    rule: rule.id,
    severity: violation.severity ?? rule.severity,
    message,
    ...(help !== undefined && { help }),
    file,
    span: toFile(place, span),
    ...(related !== undefined &&
      related.length > 0 && {
        related: related.map((relation) => ({
          ...relation,
          file,
          span: toFile(place, relation.span),
        })),
      }),
    ...(fileFix !== undefined && { fix: fileFix }),
  };
}

/** Returns a violation's fix. */
export function proposedFix({ fix, instead, span }: Violation): ProposedFix | undefined {
  return fix !== undefined || instead === undefined ? fix : suggestedFix(span, instead);
}

/** Suggests a text in place of a span. */
export function suggestedFix(
  span: Span,
  text: string,
  title = text === '' ? 'delete it' : `write ${text}`,
): ProposedFix {
  return { title, kind: 'suggested', edits: [{ span, text }] };
}

/** Returns the fix in the file; undefined if the string it is in cannot hold its text. */
function fixIn(place: Place, fix: ProposedFix): Fix | undefined {
  const edits: Edit[] = [];
  for (const { span, text, otherwise = text } of fix.edits) {
    const edit =
      'edit' in place ? (place.edit(span, text) ?? place.edit(span, otherwise)) : { span, text };
    if (edit === undefined) return undefined;
    edits.push(edit);
  }
  const alternatives = fix.alternatives?.flatMap((alternative) => fixIn(place, alternative) ?? []);
  return { ...fix, edits, ...(alternatives && { alternatives }) };
}

/** Quotes a text like the text it replaces, if that is quoted. */
function inQuotesOf(fileFix: string, text: string): string {
  if (fileFix.startsWith("'") && isPlain(text) && !text.includes("'")) return `'${text}'`;
  return /^["']/.test(fileFix) ? JSON.stringify(text) : text;
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
 * Sorts findings by file (in code point order), then start, end and rule, and keeps only the first
 * of several with the same rule, span and message.
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
