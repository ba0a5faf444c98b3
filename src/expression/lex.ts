import { type ILexerConfig, type IToken, Lexer } from 'chevrotain';
import type { Finding } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import { COMMENTS, Identifier, lexerTokens, Mistake, NumberToken } from './tokens.js';
import { unknownCharacters } from './wrong-characters.js';

export interface Lexed {
  /** Every character outside white space and comments is in one of them. */
  readonly tokens: readonly IToken[];
  readonly comments: readonly Span[];
  /** Some token carries a problem: see `problemOf`. */
  readonly flawed: boolean;
}

/** Builds a lexer; `validate` also proves its token definitions, which tests do. */
export function buildLexer(validate: boolean): Lexer {
  const config: ILexerConfig = {
    positionTracking: 'onlyOffset',
    skipValidations: !validate,
    ensureOptimizations: true,
  };
  return new Lexer([...lexerTokens], config);
}

let lexer: Lexer | undefined;

/** Cuts any text into tokens. What is no token becomes one that carries its problem. */
export function lex(text: string): Lexed {
  lexer ??= buildLexer(false);
  const { tokens, errors, groups } = lexer.tokenize(text);
  const comments = (groups[COMMENTS] ?? []).map(spanOf);
  if (errors.length === 0) {
    return { tokens, comments, flawed: tokens.some((token) => problemOf(token) !== undefined) };
  }
  const unknown = errors.map(({ offset, length }) => mistake(text, offset, offset + length));
  return { tokens: joinWords(text, merge(tokens, unknown)), comments, flawed: true };
}

/** The comments of a text: from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  return lex(text).comments;
}

export function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: endOf(token) };
}

export function endOf(token: IToken): number {
  return token.startOffset + token.image.length;
}

/** Why a token is none of the language's. */
export function problemOf(token: IToken): Finding | undefined {
  return token.payload?.problem;
}

function mistake(text: string, start: number, end: number): IToken {
  return {
    tokenType: Mistake,
    tokenTypeIdx: Mistake.tokenTypeIdx as number,
    image: text.slice(start, end),
    startOffset: start,
    payload: { problem: unknownCharacters(text, start, end) },
  };
}

function merge(a: readonly IToken[], b: readonly IToken[]): IToken[] {
  const merged: IToken[] = [];
  let next = 0;
  for (const token of a) {
    for (; next < b.length && (b[next] as IToken).startOffset < token.startOffset; next += 1) {
      merged.push(b[next] as IToken);
    }
    merged.push(token);
  }
  for (; next < b.length; next += 1) merged.push(b[next] as IToken);
  return merged;
}

const WORD = /^[\p{L}\p{M}\p{N}_-]+$/u;
const ASCII = /^[ -~]*$/;

/** Makes one mistake of a word such as `größe`, of which only parts are tokens. */
function joinWords(text: string, tokens: readonly IToken[]): IToken[] {
  const joined: IToken[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at] as IToken;
    let next = at + 1;
    let foreign = isForeign(first);
    while (next < tokens.length && isPart(tokens[next - 1]) && isPart(tokens[next])) {
      if ((tokens[next] as IToken).startOffset !== endOf(tokens[next - 1] as IToken)) break;
      foreign ||= isForeign(tokens[next]);
      next += 1;
    }
    if (foreign && next > at + 1) {
      joined.push(mistake(text, first.startOffset, endOf(tokens[next - 1] as IToken)));
      at = next;
    } else {
      joined.push(first);
      at += 1;
    }
  }
  return joined;
}

function isForeign(token: IToken | undefined): boolean {
  return token?.tokenType === Mistake && !ASCII.test(token.image) && WORD.test(token.image);
}

function isPart(token: IToken | undefined): boolean {
  const type = token?.tokenType;
  return type === Identifier || type === NumberToken || isForeign(token);
}
