import type { IToken } from 'chevrotain';
import type { Span } from '../source/index.js';
import { spanOf } from './grammar/nodes.js';
import { tokenize } from './grammar/parser.js';

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

/** Cuts any text into tokens. */
export function lex(text: string): Lexed {
  const { tokens, comments } = tokenize(text);
  return { tokens: tokens.map(tokenOf), comments: comments.map(spanOf) };
}

function tokenOf(token: IToken): Token {
  const { tokenType, image, payload } = token;
  const value = typeof payload === 'object' ? undefined : payload;
  return { ...spanOf(token), type: tokenType.name, image, value };
}

/** The comments of a text: from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  return tokenize(text).comments.map(spanOf);
}
