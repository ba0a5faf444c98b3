import type { IToken, TokenType } from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';
import { append, spanOf } from '../grammar/nodes.js';
import {
  AS,
  DurationNumeral,
  FALSE,
  Identifier,
  keywords,
  Mistake,
  Numeral,
  QuotedName,
  QuotedString,
  TRUE,
} from '../lexer/lexer.js';
import { NO_TEXT_PATTERNS, unknownCharacters } from '../lexer/wrong-characters.js';

/** What a value, a name or an attribute begins with, and mostly ends with. */
export const VALUES = [
  ...[Identifier, QuotedName, QuotedString, Numeral, DurationNumeral, TRUE, FALSE],
];

/** Whether a token is one of these. */
export function is(token: IToken | undefined, ...types: readonly TokenType[]): token is IToken {
  return token !== undefined && types.includes(token.tokenType);
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

/** Joins the parts of a word such as `größe`, only some of which are tokens, to one mistake. */
export function joinWords(text: string, tokens: readonly IToken[]): readonly IToken[] {
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

function mistake(text: string, start: number, end: number): IToken {
  return {
    image: text.slice(start, end),
    startOffset: start,
    tokenType: Mistake,
    tokenTypeIdx: Mistake.tokenTypeIdx as number,
    payload: unknownCharacters(text, start, end),
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

/** Words of other query languages, in lower case, and what is written here. */
const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ['not', 'there is no negation: write the opposite comparator, such as "!=" for "="'],
  ['in', 'write one comparison for each value, with OR between them'],
  ['is', 'write "=" or "!="'],
  ['equals', 'write "="'],
  ['like', NO_TEXT_PATTERNS],
  ['contains', NO_TEXT_PATTERNS],
  ['between', 'write two comparisons, with AND between them'],
  ['where', 'write FILTER'],
  ['having', 'write AGGREGATE'],
  ['select', 'write AGGREGATE'],
  ['before', 'write "->"'],
  ['then', 'write "->"'],
  ['within', 'compare times in FILTER, such as b.time - a.time < 5s'],
  ['matches', NO_TEXT_PATTERNS],
  ['regexp', NO_TEXT_PATTERNS],
]);

/** What is written here for a word of another query language. */
export function helpForForeignWord(word: string): string | undefined {
  return FOREIGN_WORDS.get(word.toLowerCase());
}

/** Whether it is a word of another query language. */
export function isForeignWord(word: string): boolean {
  return FOREIGN_WORDS.has(word.toLowerCase());
}
