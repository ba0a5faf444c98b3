import type { Finding, RuleMeta } from '../diagnostics/index.js';
import type { Draft } from './draft.js';

/** A rule about a file or a whole objective: its docs and its check. */
export interface ObjectiveRule {
  readonly meta: RuleMeta;
  /** Absent where the reader of the file finds what the rule reports. */
  readonly check?: (draft: Draft) => Iterable<Finding>;
}
