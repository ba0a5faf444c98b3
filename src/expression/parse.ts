import type { Violation } from '../diagnostics/index.js';
import { diagnose } from './diagnosis/diagnose.js';
import { nestedTooDeep } from './grammar/nesting.js';
import { parseExpression, tokenize } from './grammar/parser.js';
import type { Expression } from './tree/ast.js';
import type { Tree } from './tree/tree.js';

/** An expression, or what could be read of it and why the rest could not. */
export interface ParseResult {
  /** Present exactly when there are none of these. */
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
  const { tokens } = tokenize(text);
  if (nestedTooDeep(tokens) === undefined) {
    const expression = parseExpression(tokens);
    if (expression !== undefined) return { expression, tree: treeOf(expression), violations: [] };
  }
  return diagnose(text, tokens);
}

/** The tree of a whole expression. */
function treeOf({ match, when, filter, aggregate }: Expression): Tree {
  const labels = match.patterns.map((pattern) => pattern.label);
  return { match, when, filter, aggregate, labels, labelsComplete: true, broken: NOTHING };
}

const NOTHING: Tree['broken'] = new Set();
