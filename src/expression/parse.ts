import type { IToken } from 'chevrotain';
import type { Violation } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import { diagnose } from './diagnosis/diagnose.js';
import { nestedTooDeep, spanOf } from './grammar/nodes.js';
import { type Continuation, continuationOf, parseExpression } from './grammar/parser.js';
import { tokenize } from './lexer/lexer.js';
import type { Expression, Tree } from './tree/ast.js';

/** An expression, or what could be read of it and why the rest could not. */
export interface ParseResult {
  /** Present exactly when there are no violations. */
  readonly expression?: Expression;
  readonly tree: Tree;
  /** All of rule `expression/syntax`, ordered by their start. */
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

/** The tree of a complete expression. */
function treeOf({ match, when, filter, aggregate, bare }: Expression): Tree {
  const labels = match.patterns.map((pattern) => pattern.label);
  return { match, when, filter, aggregate, bare, labels, labelsComplete: true, broken: NOTHING };
}

const NOTHING: Tree['broken'] = new Set();

/** A token, for callers that lay out an expression. */
export interface Token extends Span {
  /** What the grammar calls it. A keyword in capitals is its own name. */
  readonly type: string;
  /** Its characters. */
  readonly image: string;
  /** What a string or a number means. */
  readonly value: string | bigint | number | undefined;
}

/** A text cut into tokens. */
export interface Lexed {
  /** Every character outside white space and comments is in one of them. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Span[];
}

/** With more tokens, what may follow them is not tried, which would read them all once for each word. */
const MOST_TOKENS = 2_000;

/** What may be written after a text; undefined where it is too long or does not begin an expression. */
export function continuation(text: string): Continuation | undefined {
  const { tokens } = tokenize(text);
  if (tokens.length > MOST_TOKENS || nestedTooDeep(tokens) !== undefined) return undefined;
  return continuationOf(tokens);
}

/** Cuts any text into tokens. */
export function lex(text: string): Lexed {
  const { tokens, comments } = tokenize(text);
  return { tokens: tokens.map(tokenOf), comments: comments.map(spanOf) };
}

function tokenOf(token: IToken): Token {
  const { tokenType, image, payload } = token;
  const value = typeof payload === 'object' ? undefined : payload;
  return { type: tokenType.name, image, value, ...spanOf(token) };
}

/** The comments of a text: from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  return tokenize(text).comments.map(spanOf);
}
