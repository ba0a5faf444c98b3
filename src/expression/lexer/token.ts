import {
  type CustomPatternMatcherReturn,
  createToken,
  type ITokenConfig,
  Lexer,
  type TokenType,
} from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';

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
