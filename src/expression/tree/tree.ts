import type { Aggregate, ClauseKind, Filter, Match, Name, When } from './ast.js';

/**
 * What could be read of an expression, whole or not. A clause that is in
 * `broken` holds its healthy patterns, chains or measures, perhaps none; its
 * span is that of all its text.
 */
export interface Tree {
  readonly match?: Match | undefined;
  readonly when?: When | undefined;
  readonly filter?: Filter | undefined;
  readonly aggregate?: Aggregate | undefined;
  /** The labels that MATCH binds, in text order, also those of broken patterns. */
  readonly labels: readonly Name[];
  /** Whether `labels` has every label; otherwise one that is not in it may be bound too. */
  readonly labelsComplete: boolean;
  /** The clauses that are not as they were meant: misread in part, written twice, or MATCH missing. */
  readonly broken: ReadonlySet<ClauseKind>;
}
