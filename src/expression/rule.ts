import type { Rule, Violation } from '../diagnostics/index.js';
import type { Context } from './analysis/context.js';
import type { Tree } from './tree/tree.js';

/** What an expression is for: a `check` of a measurement or a `mutation_precondition`. */
export type Role = 'check' | 'precondition';

/** What a rule looks at. */
export interface RuleInput {
  readonly text: string;
  readonly role: Role;
  readonly tree: Tree;
  readonly context: Context;
  /** What the parser could not read. */
  readonly syntax: readonly Violation[];
}

/** A rule about one expression: its docs and its check. */
export type ExpressionRule = Rule<RuleInput>;
