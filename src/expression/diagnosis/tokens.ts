import { type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';
import { append, spanOf } from '../grammar/nodes.js';
import {
  AGGREGATE,
  AS,
  Concurrent,
  DurationNumeral,
  FALSE,
  FILTER,
  Identifier,
  keywords,
  MATCH,
  Mistake,
  Numeral,
  QuotedName,
  QuotedString,
  TRUE,
  WHEN,
} from '../lexer/lexer.js';
import { unknownCharacters, wrongOperator } from '../lexer/wrong-characters.js';

/** The tokens of a part of the text, and what stands around it. */
export interface Piece {
  readonly before: IToken | undefined;
  readonly tokens: readonly IToken[];
  /** What ended it; undefined at the end of the text. */
  readonly next: IToken | undefined;
}

/** What a value, a name or an attribute begins with, and mostly ends with. */
export const VALUES = [
  ...[Identifier, QuotedName, QuotedString, Numeral, DurationNumeral, TRUE, FALSE],
];

/** Whether a token is one of these. */
export function is(token: IToken | undefined, ...types: readonly TokenType[]): token is IToken {
  return token !== undefined && types.some((type) => tokenMatcher(token, type));
}

/** Whether a token is a reserved word. */
export function isKeywordToken({ tokenType }: IToken): boolean {
  return keywords.includes(tokenType);
}

/** Where a token ends. */
export function endOf(token: IToken): number {
  return spanOf(token).end;
}

/** The violations of all `Mistake`s; of several in a row only the first, for they are one mistake. */
export function violationsIn(tokens: readonly IToken[]): Violation[] {
  const found: Violation[] = [];
  let inRow = false;
  tokens.forEach((token, index) => {
    const violation: Violation | undefined =
      token.tokenType === Mistake ? token.payload : undefined;
    if (violation !== undefined && !inRow) {
      // `AS 1st`
      const isLabel = is(tokens[index - 1], AS) && /^\w+$/.test(token.image);
      const help = `a label begins with a letter, or is in backquotes: \`${token.image}\``;
      found.push(isLabel ? { ...violation, help } : violation);
    }
    inRow = violation !== undefined;
  });
  return found;
}

const WORD = /^[\p{L}\p{M}\p{N}_-]+$/u;
const ASCII = /^[ -~]*$/;

/** The tokens with all that is a mistake as one: words of other letters, and `||` outside WHEN. */
export function withMistakes(text: string, tokens: readonly IToken[]): readonly IToken[] {
  let inWhen = false;
  return joinWords(text, tokens).map((token) => {
    if (is(token, MATCH, WHEN, FILTER, AGGREGATE)) inWhen = is(token, WHEN);
    if (inWhen || !is(token, Concurrent)) return token;
    const { startOffset } = token;
    return mistake(text, startOffset, endOf(token), wrongOperator(text, startOffset));
  });
}

/** Joins the parts of a word such as `größe`, only some of which are tokens, to one mistake. */
function joinWords(text: string, tokens: readonly IToken[]): readonly IToken[] {
  if (!tokens.some(isForeign)) return tokens;
  const joined: IToken[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at] as IToken;
    let last = first;
    let next = at + 1;
    let foreign = isForeign(first);
    for (; isPart(last) && next < tokens.length; next += 1) {
      const token = tokens[next] as IToken;
      if (!isPart(token) || token.startOffset !== endOf(last)) break;
      foreign ||= isForeign(token);
      last = token;
    }
    if (foreign && last !== first) joined.push(mistake(text, first.startOffset, endOf(last)));
    else append(joined, tokens.slice(at, next));
    at = next;
  }
  return joined;
}

function mistake(
  text: string,
  start: number,
  end: number,
  payload = unknownCharacters(text, start, end),
): IToken {
  return {
    image: text.slice(start, end),
    startOffset: start,
    tokenType: Mistake,
    tokenTypeIdx: Mistake.tokenTypeIdx as number,
    payload,
  };
}

function isForeign({ tokenType, image }: IToken): boolean {
  return tokenType === Mistake && !ASCII.test(image) && WORD.test(image);
}

/** A malformed number can be a part too. */
function isPart(token: IToken): boolean {
  const isMalformedNumber = is(token, Mistake) && /^-?\d/.test(token.image);
  return is(token, Identifier, Numeral, DurationNumeral) || isForeign(token) || isMalformedNumber;
}
