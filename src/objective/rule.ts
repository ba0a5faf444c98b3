import type { Finding, RuleMeta } from '../diagnostics/index.js';
import type { Catalog } from '../mutators/model.js';
import type { Draft } from './draft.js';

/** Takes what a rule finds. */
export type Report = (finding: Finding) => void;

/** A rule about a file or a whole objective: its docs and its check. */
export interface ObjectiveRule {
  readonly meta: RuleMeta;
  /** Absent where the reader of the file finds what the rule reports. */
  readonly check?: (draft: Draft, report: Report) => void;
}

/** What a rule over a catalog looks at. */
export interface CatalogDraft extends Draft {
  readonly catalog: Catalog;
}

/** A rule that holds an objective against the mutators of a system. */
export interface CatalogRule {
  readonly meta: RuleMeta;
  readonly check: (draft: CatalogDraft, report: Report) => void;
}
