import type { Violation } from '../diagnostics/index.js';
import type { Expression } from './ast.js';
import { cutClauses } from './clauses.js';
import { diagnose } from './diagnose.js';
import { lex } from './lex.js';
import { tooDeep } from './nesting.js';
import { read, readExpression } from './parser.js';
import type { Tree } from './tree.js';

export interface ParseResult {
  /** Present exactly when there is no violation. */
  readonly expression?: Expression;
  readonly tree: Tree;
  /** All of rule `expression/syntax`, by their start. */
  readonly violations: readonly Violation[];
}

/**
 * Reads a trace expression (spec: trace expressions, "Grammar"). Takes any
 * string and never throws; spans are in `text`. Time is linear in its length.
 */
export function parse(text: string): ParseResult {
  const { tokens, flawed } = lex(text);
  if (!flawed && tooDeep(tokens) === undefined) {
    const { tree: expression, stopped } = read(readExpression, tokens);
    if (stopped === undefined) return { expression, tree: treeOf(expression), violations: [] };
  }
  const { tree, findings } = diagnose(cutClauses(tokens));
  return { tree, violations: findings };
}

/** The tree of a whole expression. */
function treeOf({ match, when, filter, aggregate }: Expression): Tree {
  const labels = match.patterns.map((pattern) => pattern.label);
  const tree: { -readonly [K in keyof Tree]: Tree[K] } = {
    match,
    labels,
    labelsComplete: true,
    broken: NOTHING,
  };
  if (when !== undefined) tree.when = when;
  if (filter !== undefined) tree.filter = filter;
  if (aggregate !== undefined) tree.aggregate = aggregate;
  return tree;
}

const NOTHING: Tree['broken'] = new Set();
