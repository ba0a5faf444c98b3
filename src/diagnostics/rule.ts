import type { Severity } from './diagnostic.js';

/**
 * What a rule tells about itself: the source of its docs page and of
 * `perturb rules explain`. Texts are plain sentences; code in them stands in
 * backquotes.
 */
export interface RuleMeta {
  /** Stable and never reused: `group/name`, the path of the docs page. */
  readonly id: string;
  /** The severity unless configured otherwise. */
  readonly severity: Severity;
  /** What it reports, in one line. */
  readonly summary: string;
  /** Why that matters, in one line. */
  readonly why: string;
  /** What to do about it, in one line. */
  readonly action: string;
  /** Some findings of this rule carry a fix. */
  readonly fixable?: true;
  /** It can't be turned off, nor silenced by a comment. */
  readonly mandatory?: true;
  /** A text that has a finding of this rule, and the same text mended, without any. */
  readonly examples: { readonly fails: string; readonly passes: string };
}
