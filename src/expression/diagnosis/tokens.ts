import type { IToken } from 'chevrotain';
import {
  type ProposedFix,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import { append, spanOf } from '../grammar/nodes.js';
import { is, keywords, typeOf } from '../lexer/lexer.js';
import { groupedDigits } from '../lexer/literals.js';
import { operatorViolation, unknownCharacterViolation } from '../lexer/wrong-characters.js';

/** The tokens in a part of the text, with the previous and the next token. */
export interface Piece {
  readonly previous: IToken | undefined;
  readonly tokens: readonly IToken[];
  /** The token that ended the piece; undefined at the end of the text. */
  readonly next: IToken | undefined;
}

/** The usual first and last tokens of a value, a name or an attribute. */
export const VALUE_TOKENS = ['name', 'literal'] as const;

/** True if a token is a reserved word. */
export function isKeywordToken({ tokenType }: IToken): boolean {
  return keywords.some((keyword) => keyword === tokenType);
}

/** Returns the end of a token. */
export function endOf(token: IToken): number {
  return spanOf(token).end;
}

/** Returns the tokens' text, with one space for any white space between two tokens. */
export function tokensText(tokens: readonly IToken[]): string {
  return tokens
    .map((token, at) => {
      const previous = tokens[at - 1];
      return previous && endOf(previous) < token.startOffset ? ` ${token.image}` : token.image;
    })
    .join('');
}

/** Returns the token `by` positions after another token in a piece. */
export function neighbourOf({ tokens }: Piece, token: IToken, by: number): IToken | undefined {
  return tokens[tokens.indexOf(token) + by];
}

/** Returns a fix that replaces the text from one token to another. The fix's title is also the help. */
export function replaceTokens(
  first: IToken,
  last: IToken,
  text: string,
  title?: string,
): { readonly help: string; readonly fix: ProposedFix } {
  const fix = suggestedFix({ start: first.startOffset, end: endOf(last) }, text, title);
  return { help: fix.title, fix };
}

/** Returns the nesting depth of parentheses after each token. */
export function depthsOf(tokens: readonly IToken[]): number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (is(token, '(')) depth += 1;
    else if (is(token, ')')) depth = Math.max(0, depth - 1);
    return depth;
  });
}

/** Returns the first violation of each run of consecutive `Mistake` tokens, because a run is one mistake. */
export function violationsIn(tokens: readonly IToken[]): Violation[] {
  const violations: Violation[] = [];
  let followsMistake = false;
  tokens.forEach((token, index) => {
    const violation: Violation | undefined = is(token, 'mistake') ? token.payload : undefined;
    if (violation !== undefined && !followsMistake) {
      // Such as `AS 1st`.
      const isLabel = is(tokens[index - 1], 'AS') && /^\w+$/.test(token.image);
      const help = `a label begins with a letter, or is in backquotes: \`${token.image}\``;
      violations.push(isLabel ? { ...violation, help } : violation);
    }
    followsMistake = violation !== undefined;
  });
  return violations;
}

const ASCII = /^[ -~]*$/;

/**
 * Returns the tokens, with each mistake joined into one token that carries the advice. Mistakes are
 * words with letters outside A to Z, dates, numbers with commas, and operators of other languages,
 * such as `||` outside WHEN.
 */
export function markMistakes(text: string, tokens: readonly IToken[]): readonly IToken[] {
  let clause: string | undefined;
  let depth = 0;
  return joinNumbers(text, joinWords(text, tokens)).map((token, index, allTokens) => {
    if (is(token, 'MATCH', 'WHEN', 'FILTER', 'AGGREGATE')) {
      clause = token.tokenType.name;
      depth = 0;
    }
    if (is(token, '(')) depth += 1;
    else if (is(token, ')')) depth -= 1;
    if (is(token, '||') ? clause === 'WHEN' : !is(token, 'mistake')) return token;
    const { startOffset, image } = token;
    const violation: Violation = is(token, 'mistake')
      ? token.payload
      : (operatorViolation(text, startOffset) as Violation);
    const withAdvice = (advice: Partial<Violation>): IToken =>
      mistake(text, startOffset, endOf(token), { ...violation, fix: undefined, ...advice });
    if (clause === 'WHEN') {
      if (/^==?>$/.test(image)) return withAdvice(writing('->', '"->"'));
      if (image === '|') return withAdvice(writing('||', '"||"'));
      if (/^={2,3}$/.test(image)) return withAdvice({ help: 'WHEN orders labels, as in a -> b' });
      if (image === '!') return withAdvice({ help: 'NOT goes before a pattern in MATCH' });
      if (/^[[].*\d[a-z]+\]$/.test(image))
        return withAdvice({ help: 'WITHIN ends an order: a -> b WITHIN 5s' });
    }
    if (is(allTokens[index - 1], 'FOR') && /^\d+m$/.test(image)) {
      const help = `to group by time, use BY window(label.time, ${image}in)`;
      return withAdvice({
        message: 'FOR expects a percentage of the groups',
        help,
        instead: undefined,
      });
    }
    if (image === '!' && clause === 'MATCH' && depth === 0)
      return withAdvice(writing('NOT ', 'NOT'));
    if (!/^(?:&&?|\|\|?)$/.test(image)) return token;
    if (image === '|' && depth === 0 && isClauseWord(allTokens[index + 1])) {
      return withAdvice({
        help: 'delete it: clauses follow each other',
        fix: suggestedFix(spanOf(token), ''),
      });
    }
    if (clause === 'FILTER' && isBetweenLabels(allTokens, index)) {
      return withAdvice({ help: 'for concurrent events, use a || b in WHEN' });
    }
    const values = checkList(allTokens, index);
    if (values !== undefined) return withAdvice(values);
    if (depth > 0 || clause !== 'MATCH') {
      return is(token, 'mistake') ? token : withAdvice({ fix: violation.fix });
    }
    if (!image.startsWith('&')) return withAdvice({ help: 'separate patterns with ","' });
    const fix = commaAfter(allTokens[index - 1], token);
    return withAdvice({ help: 'write ","', fix: { ...fix, kind: 'safe' } });
  });
}

/** True if a token begins a clause, including in other languages: `| where`, `| stats`. */
function isClauseWord(token: IToken | undefined): boolean {
  return is(token, 'WHEN', 'FILTER', 'AGGREGATE') || /^(?:where|stats)$/i.test(token?.image ?? '');
}

/** True for `||` between two bare names, as in `FILTER a || b`. */
function isBetweenLabels(tokens: readonly IToken[], index: number): boolean {
  const [previous, a, sign, b, next] = tokens.slice(index - 2, index + 3);
  const areNames = is(a, 'name') && is(b, 'name');
  const isAlone = is(previous, 'FILTER', 'AND', 'OR') && !is(next, '.', 'comparator', '(', '@');
  return sign?.image === '||' && areNames && isAlone;
}

/**
 * Returns the fix that replaces a token with a comma. Puts the comma directly after the previous
 * token, unless a comment may be between the two.
 */
export function commaAfter(previous: IToken | undefined, token: IToken): ProposedFix {
  const end = endOf(token);
  const previousEnd = previous === undefined ? undefined : endOf(previous);
  const start =
    previousEnd !== undefined && token.startOffset - previousEnd <= 1
      ? previousEnd
      : token.startOffset;
  return { title: 'write ","', kind: 'suggested', edits: [{ span: { start, end }, text: ',' }] };
}

/** Returns the IN list for `name = 'A' OR 'B'`; undefined if a complete comparison follows the operator. */
function checkList(
  tokens: readonly IToken[],
  index: number,
): Pick<Violation, 'help' | 'fix'> | undefined {
  const sign = tokens[index - 2];
  const attribute = tokens[index - 3];
  if (!is(sign, 'comparator') || !is(attribute, 'name')) return undefined;
  const values = valuesFrom(tokens, index - 1);
  const at = index - 1 + 2 * values.length;
  const next = tokens[at - 1];
  const lastValue = values.at(-1);
  const ends = next === undefined || is(next, ')', 'AND', 'OR') || isKeywordToken(next);
  const list = listIn(sign, values);
  if (lastValue === undefined || lastValue === next || list === undefined || !ends)
    return undefined;
  const tight = endOf(attribute) === sign.startOffset ? ' ' : '';
  const { fix } = replaceTokens(sign, lastValue, tight + list, `write ${list}`);
  return { help: `write ${attribute.image} ${list}`, fix };
}

/** Returns the values from an index on, separated by OR or commas. */
export function valuesFrom(tokens: readonly IToken[], from: number): readonly IToken[] {
  const values: IToken[] = [];
  for (let at = from; is(tokens[at], 'literal'); at += 2) {
    values.push(tokens[at] as IToken);
    if (!/^(?:or|\|\|?|,)$/i.test(tokens[at + 1]?.image ?? '')) break;
  }
  return values;
}

/** Returns `IN ('A', 'B')` for several values compared by `=` or `!=`. */
function listIn({ image }: IToken, values: readonly IToken[]): string | undefined {
  if (values.length < 2 || (image !== '=' && image !== '!=')) return undefined;
  return `${image === '=' ? 'IN' : 'NOT IN'} (${values.map((value) => value.image).join(', ')})`;
}

/** Joins the parts of a word with letters outside A to Z, such as `größe`, into one mistake. */
function joinWords(text: string, tokens: readonly IToken[]): readonly IToken[] {
  if (!tokens.some(isForeign)) return tokens;
  const joinedTokens: IToken[] = [];
  for (let at = 0; at < tokens.length; ) {
    const firstToken = tokens[at] as IToken;
    let lastToken = firstToken;
    let nextIndex = at + 1;
    let isForeignRun = isForeign(firstToken);
    for (; isPart(lastToken) && nextIndex < tokens.length; nextIndex += 1) {
      const token = tokens[nextIndex] as IToken;
      if (!isPart(token) || token.startOffset !== endOf(lastToken)) break;
      isForeignRun ||= isForeign(token);
      lastToken = token;
    }
    if (isForeignRun && lastToken !== firstToken)
      joinedTokens.push(mistake(text, firstToken.startOffset, endOf(lastToken)));
    else append(joinedTokens, tokens.slice(at, nextIndex));
    at = nextIndex;
  }
  return joinedTokens;
}

/** Matches a date with an optional time of day. */
const DATE =
  /\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?/y;

/** Joins the tokens of each date, and of each number with commas, into one mistake. */
function joinNumbers(text: string, tokens: readonly IToken[]): readonly IToken[] {
  const joinedTokens: IToken[] = [];
  let isInList = false;
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as IToken;
    if (is(token, '(')) isInList = is(tokens[at - 1], 'IN');
    if (is(token, ')')) isInList = false;
    const number = is(token, 'number') ? numberFrom(text, token, isInList) : undefined;
    joinedTokens.push(number ?? token);
    at += 1;
    while (number && at < tokens.length && (tokens[at]?.startOffset ?? 0) < endOf(number)) at += 1;
  }
  return joinedTokens;
}

/** Returns the mistake for a date or a number with commas; undefined for any other number. */
function numberFrom(text: string, { startOffset }: IToken, isInList: boolean): IToken | undefined {
  DATE.lastIndex = startOffset;
  const date = DATE.exec(text)?.[0];
  if (date !== undefined) {
    const help = 'compare event times in FILTER, as in b.time - a.time < 5s';
    const end = startOffset + date.length;
    const span = { start: startOffset, end };
    return mistake(text, startOffset, end, { message: 'the language has no dates', help, span });
  }
  const groupedNumber = groupedDigits(text, startOffset);
  if (groupedNumber?.start !== startOffset) return undefined;
  // `IN (100,200)` is a list.
  if (isInList && !/,0/.test(text.slice(groupedNumber.start, groupedNumber.end))) return undefined;
  return mistake(text, startOffset, groupedNumber.end, groupedNumber.violation);
}

function mistake(
  text: string,
  start: number,
  end: number,
  payload = unknownCharacterViolation(text, start, end),
): IToken {
  return {
    image: text.slice(start, end),
    startOffset: start,
    payload,
    ...typeOf('mistake'),
  };
}

function isForeign(token: IToken): boolean {
  return (
    is(token, 'mistake') && !ASCII.test(token.image) && /^[\p{L}\p{M}\p{N}_-]+$/u.test(token.image)
  );
}

/** True if a token can be part of a word. Includes malformed numbers. */
function isPart(token: IToken): boolean {
  const isMalformedNumber = is(token, 'mistake') && /^-?\d/.test(token.image);
  return is(token, 'identifier', 'number', 'duration') || isForeign(token) || isMalformedNumber;
}
