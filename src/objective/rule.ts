import type { Rule } from '../diagnostics/index.js';
import type { Catalog } from '../mutators/model/index.js';
import type { Draft } from './draft.js';

/** A rule about a file or a whole objective: its docs and its check. */
export type ObjectiveRule = Rule<Draft>;

/** What a rule over a catalog looks at. */
export interface CatalogDraft extends Draft {
  readonly catalog: Catalog;
}

/** Whether there are mutators to hold an objective against. */
export function hasCatalog(draft: Draft): draft is CatalogDraft {
  return draft.catalog !== undefined;
}

/** A rule that holds an objective against the mutators of a system. */
export type CatalogRule = Rule<CatalogDraft>;
