import {
  type CustomPatternMatcherReturn,
  createToken,
  type ITokenConfig,
  Lexer,
  type TokenType,
} from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';
import { readDuration, readNumber, readQuotedName, readString } from './literals.js';
import {
  bracketed,
  dashRun,
  smartQuoted,
  unknownCharacters,
  wrongOperator,
} from './wrong-characters.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** What tokens begin with. */
export const WORD_START = `${LETTERS}_`;
export const NUMBER_START = `-${DIGITS}`;

/** What a token means, which is its `payload`. */
export type Value = string | bigint | number | { readonly nanoseconds: bigint };

/** What stands at an offset: where it ends, and its value, or what is wrong with it. */
export interface Reading {
  readonly end: number;
  readonly value: Value | undefined;
  readonly violation: Violation | undefined;
}

/** Stands for several tokens that the productions need not tell apart. */
export function category(name: string): TokenType {
  return createToken({ name, pattern: Lexer.NA });
}

/**
 * A token that begins with one of these characters. They spare Chevrotain the
 * analysis of each pattern, which every start would pay for.
 */
export function token(
  name: string,
  starts: string,
  pattern: RegExp,
  more: Partial<ITokenConfig> = {},
): TokenType {
  return createToken({ name, pattern, start_chars_hint: [...starts], line_breaks: false, ...more });
}

/** A token that is always written alike. */
export function sign(image: string): TokenType {
  return createToken({ name: image, pattern: image });
}

/** A reserved word, in whatever case; it may be the beginning of an identifier. */
export function keyword(
  word: string,
  identifier: TokenType,
  more: Partial<ITokenConfig> = {},
): TokenType {
  const starts = word.charAt(0) + word.charAt(0).toLowerCase();
  return token(word, starts, new RegExp(word, 'i'), { longer_alt: identifier, ...more });
}

/** A token of a category whose value, its `payload`, is read with it. */
export function valued(
  name: string,
  starts: string,
  category: TokenType,
  read: (text: string, start: number) => Reading | undefined,
): TokenType {
  const pattern = (text: string, start: number) => {
    const reading = read(text, start);
    if (reading === undefined || reading.violation !== undefined) return null;
    return matched(text, start, reading.end, reading.value);
  };
  const start_chars_hint = [...starts];
  return createToken({ name, pattern, start_chars_hint, line_breaks: false, categories: category });
}

function matched(
  text: string,
  start: number,
  end: number,
  payload: Value | Violation | undefined,
): CustomPatternMatcherReturn {
  const match: CustomPatternMatcherReturn = [text.slice(start, end)];
  match.payload = payload;
  return match;
}

/** Whatever begins no other token. Its `payload` is the violation. */
export function anythingElse(
  name: string,
  read: (text: string, start: number) => { readonly end: number; readonly violation: Violation },
): TokenType {
  const pattern = (text: string, start: number) => {
    const { end, violation } = read(text, start);
    return matched(text, start, end, violation);
  };
  return createToken({ name, pattern, start_chars_hint: EVERYTHING, line_breaks: false });
}

/**
 * Enough code units that a token may begin with any: Chevrotain looks up those
 * above 255 by ranges of 255. A test tries them all.
 */
const EVERYTHING: number[] = [];
for (let code = 0; code <= 256; code += 1) EVERYTHING.push(code);
for (let code = 510; code <= 0xffff; code += 255) EVERYTHING.push(code);

/** What is no token, and why. */
interface Mistake {
  readonly end: number;
  readonly violation: Violation;
}

/**
 * Reads what stands at `start`, where no token of the language does: a broken
 * string, name or number, an operator of another language, or characters that
 * begin nothing.
 */
export function readMistake(text: string, start: number): Mistake {
  const { end, violation } = readBroken(text, start) ?? {};
  if (end !== undefined && violation !== undefined) return { end, violation };
  const meant =
    smartQuoted(text, start) ??
    wrongOperator(text, start) ??
    dashRun(text, start) ??
    bracketed(text, start);
  if (meant !== undefined) return { end: meant.span.end, violation: meant };
  const unknownEnd = endOfUnknown(text, start);
  return { end: unknownEnd, violation: unknownCharacters(text, start, unknownEnd) };
}

function readBroken(text: string, start: number) {
  const first = text.charAt(start);
  if (first === "'" || first === '"') return readString(text, start);
  if (first === '`') return readQuotedName(text, start);
  return readDuration(text, start) ?? readNumber(text, start);
}

/** Where the run of characters ends that begin nothing; the first one is known to. */
function endOfUnknown(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    UNKNOWN.lastIndex = end;
    if (UNKNOWN.test(text)) end = UNKNOWN.lastIndex;
    if (text.charAt(end) !== '~' || text.charAt(end + 1) === '=') return end;
  }
}

/** Neither white space nor the start of a token, of a comment or of a mistake that has a name. */
const UNKNOWN =
  /[^ \t\r\n#()'"`.,@\-=<>!&|\w~\u2260\u2264\u2265\u2192\u21d2\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]+/y;
