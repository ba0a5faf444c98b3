import type { Span } from '../source/index.js';
import type { Edit } from './finding.js';

/**
 * What a rule reports: a finding without its rule and its file. Spans are in the
 * text that the rule looked at, be it a file's or one inside a string of a file.
 */
export interface Violation {
  /** What is wrong: lower case, no full stop, the offender in quotes. */
  readonly message: string;
  /** What to do about it. */
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
  /** A text that means the same, for a string of the file that cannot hold `text`. */
  readonly otherwise?: string;
}
