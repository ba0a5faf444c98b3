import type { SourceFile, Span } from '../source/index.js';

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

/** A safe correction: `edits` do not overlap and are all in the finding's file. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

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
}
