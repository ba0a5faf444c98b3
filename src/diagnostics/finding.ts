import {
  compareCodePoints,
  type EmbeddedSource,
  type SourceFile,
  type Span,
} from '../source/index.js';
import { isPlain } from './wording.js';

/** A finding without its rule and file. Spans are in the checked text: a file, or text in a string within a file. */
export interface Violation {
  /** The mistake: lower case, no full stop, the offending text in quotes. */
  readonly message: string;
  /** The remedy. */
  readonly help?: string | undefined;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
  /** The correct text for the span, offered as a suggested fix. If the original text is quoted, the fix adds quotes. */
  readonly instead?: string | undefined;
  readonly fix?: ProposedFix | undefined;
  /** The severity, if different from the rule's. */
  readonly severity?: Severity;
}

/** A fix in the text checked by a rule. */
export interface ProposedFix extends Omit<Fix, 'edits' | 'alternatives'> {
  readonly edits: readonly ProposedEdit[];
  readonly alternatives?: readonly ProposedFix[];
}

/** An edit in the text checked by a rule. */
export interface ProposedEdit extends Edit {
  /** An equivalent replacement, used if the file's string cannot represent `text`. */
  readonly otherwise?: string;
}

/** A finding's severity: an error fails the run, a warning alone does not. */
export type Severity = 'error' | 'warning';

/** Another span that explains a finding. */
export interface RelatedSpan {
  readonly message: string;
  readonly file: SourceFile;
  readonly span: Span;
}

/** A replacement of a span's characters. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** A finding's correction. The edits do not overlap and are all in the finding's file. */
export interface Fix {
  readonly title: string;
  /** Safe if the author's intention is certain; suggested if there are several plausible intentions. */
  readonly kind: 'safe' | 'suggested';
  readonly edits: readonly Edit[];
  /** Fixes for other plausible intentions. */
  readonly alternatives?: readonly Fix[];
}

/** Metadata for part of a file, such as requirement ids. Maps each key to its values. */
export type Metadata = Readonly<Record<string, readonly string[]>>;

/** One finding. Spans are in `file`'s text. */
export interface Finding {
  /** The rule's id, `group/name`. */
  readonly rule: string;
  readonly severity: Severity;
  /** The mistake: lower case, no full stop, the offending text in quotes. */
  readonly message: string;
  /** The remedy. */
  readonly help?: string;
  readonly file: SourceFile;
  readonly span: Span;
  readonly related?: readonly RelatedSpan[];
  readonly fix?: Fix;
  /** The metadata of the enclosing part of the file. */
  readonly metadata?: Metadata;
}

/** The source of a text: a file, or a string within a file. */
export type TextSource = SourceFile | EmbeddedSource;

/** Converts a span in a text to a span in its file. */
export function toFileSpan(place: TextSource, span: Span): Span {
  return 'toFile' in place ? place.toFile(span) : span;
}

/** Converts a violation in a text to a finding. */
export function toFinding(
  rule: Pick<Finding, 'severity'> & { readonly id: string },
  violation: Violation,
  place: TextSource,
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
    span: toFileSpan(place, span),
    ...(related !== undefined &&
      related.length > 0 && {
        related: related.map((relation) => ({
          ...relation,
          file,
          span: toFileSpan(place, relation.span),
        })),
      }),
    ...(fileFix !== undefined && { fix: fileFix }),
  };
}

/** Returns a violation's fix. */
export function proposedFix({ fix, instead, span }: Violation): ProposedFix | undefined {
  return fix !== undefined || instead === undefined ? fix : suggestedFix(span, instead);
}

/** Returns a suggested fix that replaces a span's text. */
export function suggestedFix(
  span: Span,
  text: string,
  title = text === '' ? 'delete it' : `write ${text}`,
): ProposedFix {
  return { title, kind: 'suggested', edits: [{ span, text }] };
}

/** Converts a proposed fix to a fix in the file. Returns undefined if the enclosing string cannot represent the fix. */
function fixIn(place: TextSource, fix: ProposedFix): Fix | undefined {
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

/** Quotes a text like the replaced text, if the replaced text is quoted. */
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
 * Sorts findings by file (in code point order), then by start, end and rule. Removes findings with the same file,
 * span, rule and message.
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
