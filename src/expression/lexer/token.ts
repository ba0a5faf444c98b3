import { createToken, type ITokenConfig, type TokenType } from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** What tokens begin with. */
export const WORD_START = `${LETTERS}_`;
export const NUMBER_START = `-${DIGITS}`;

/** What stands at a place: where it ends, and its value; or, where it is none, why. */
export interface Reading {
  readonly end: number;
  readonly value: string | bigint | number | undefined;
  readonly problem: Violation | undefined;
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
export function keyword(word: string, identifier: TokenType): TokenType {
  const starts = word.charAt(0) + word.charAt(0).toLowerCase();
  return token(word, starts, new RegExp(word, 'i'), { longer_alt: identifier });
}

/** A token whose value, its `payload`, is read with it. */
export function valued(
  name: string,
  starts: string,
  read: (text: string, start: number) => Reading | undefined,
): TokenType {
  const pattern = (text: string, start: number) => {
    const reading = read(text, start);
    if (reading === undefined || reading.problem !== undefined) return null;
    return Object.assign([text.slice(start, reading.end)] as [string], { payload: reading.value });
  };
  return createToken({ name, pattern, start_chars_hint: [...starts], line_breaks: false });
}

/** Whatever begins no other token. Its `payload` is the finding. */
export function anythingElse(
  name: string,
  read: (text: string, start: number) => { readonly end: number; readonly problem: Violation },
): TokenType {
  const pattern = (text: string, start: number) => {
    const { end, problem } = read(text, start);
    return Object.assign([text.slice(start, end)] as [string], { payload: problem });
  };
  return createToken({ name, pattern, start_chars_hint: EVERYTHING, line_breaks: false });
}

/** Chevrotain looks up the characters above 255 by ranges of 255; 51 is a part of that. */
const SINGLE = 255;
const STEP = 51;

/** Enough code units that a token may begin with any; a test tries them all. */
const EVERYTHING: number[] = [];
for (let code = 0; code <= 0xffff; code += code < SINGLE ? 1 : STEP) EVERYTHING.push(code);
