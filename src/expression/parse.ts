import type { IToken } from 'chevrotain';
import type { Violation } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import { diagnose } from './diagnosis/diagnose.js';
import { findTooDeepParenthesis, spanOf } from './grammar/nodes.js';
import { type Continuation, continuationOf, parseExpression } from './grammar/parser.js';
import { tokenize } from './lexer/lexer.js';
import type { Expression, Tree } from './tree/ast.js';

/** A parsed expression, or its parsable parts and the violations in the rest. */
export interface ParseResult {
  /** The complete expression, if there are no violations. */
  readonly expression?: Expression;
  readonly tree: Tree;
  /** The violations of the rule `expression/syntax`, sorted by start. */
  readonly violations: readonly Violation[];
}

/**
 * Parses a trace expression (spec: trace expressions, "Grammar") in linear time. Accepts any string
 * and never throws. Spans are offsets in `text`.
 */
export function parse(text: string): ParseResult {
  const { tokens } = tokenize(text);
  if (findTooDeepParenthesis(tokens) === undefined) {
    const expression = parseExpression(tokens);
    if (expression !== undefined) return { expression, tree: toTree(expression), violations: [] };
  }
  return diagnose(text, tokens);
}

/** Returns the tree of a complete expression. */
function toTree({ match, when, filter, aggregate, bare }: Expression): Tree {
  const labels = match.patterns.map((pattern) => pattern.label);
  return {
    match,
    when,
    filter,
    aggregate,
    bare,
    labels,
    labelsComplete: true,
    broken: NO_BROKEN_CLAUSES,
  };
}

const NO_BROKEN_CLAUSES: Tree['broken'] = new Set();

/** A token, for formatting expressions. */
export interface Token extends Span {
  /** The token's name in the grammar. For a keyword, the keyword in capitals. */
  readonly type: string;
  /** The token's characters. */
  readonly image: string;
  /** The value of a string or a number. */
  readonly value: string | bigint | number | undefined;
}

/** A tokenized text. */
export interface Lexed {
  /** The tokens, which cover every character outside white space and comments. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Span[];
}

/**
 * Maximum number of tokens before a continuation. Limits the time, because finding the
 * continuations parses the tokens once per word.
 */
const MAX_TOKENS = 2_000;

/**
 * Returns the possible continuations of a text. Returns undefined if the text is too long or does
 * not begin an expression.
 */
export function continuation(text: string): Continuation | undefined {
  const { tokens } = tokenize(text);
  if (tokens.length > MAX_TOKENS || findTooDeepParenthesis(tokens) !== undefined) return undefined;
  return continuationOf(tokens);
}

/** Tokenizes any text. */
export function lex(text: string): Lexed {
  const { tokens, comments } = tokenize(text);
  return { tokens: tokens.map(toToken), comments: comments.map(spanOf) };
}

function toToken(token: IToken): Token {
  const { tokenType, image, payload } = token;
  const value = typeof payload === 'object' ? undefined : payload;
  return { type: tokenType.name, image, value, ...spanOf(token) };
}

/** Returns the spans of a text's comments, from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  return tokenize(text).comments.map(spanOf);
}
