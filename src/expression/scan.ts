import type { CustomPatternMatcherReturn } from 'chevrotain';
import { readNumber } from './number.js';
import { readQuotedName, readString } from './quoted.js';
import type { Reading } from './reading.js';
import { dashRun, smartQuoted, wrongOperator } from './wrong-characters.js';

/*
 * Loops instead of regular expressions where a token can be long: a pattern
 * with an alternation inside a repetition overflows the engine's backtracking
 * stack on a token of some megabytes.
 */

type Scan = (text: string, offset: number) => CustomPatternMatcherReturn | null;

function lexeme(text: string, start: number, end: number, payload?: Reading<unknown>) {
  const result: CustomPatternMatcherReturn = [text.slice(start, end)];
  if (payload !== undefined) result.payload = payload;
  return result;
}

/** A letter or underscore, then letters, digits and underscores, with inner hyphens. */
export const scanIdentifier: Scan = (text, offset) => {
  const first = text.charCodeAt(offset);
  if (!isWord(first) || isDigit(first)) return null;
  let at = offset + 1;
  for (;;) {
    while (isWord(text.charCodeAt(at))) at += 1;
    let next = at;
    while (text.charCodeAt(next) === DASH) next += 1;
    if (next === at || !isWord(text.charCodeAt(next))) return lexeme(text, offset, at);
    at = next;
  }
};

/** All that was meant as one number, such as `5`, `-1.5e3` or the malformed `5abc` and `1.2.3`. */
export const scanNumber: Scan = (text, offset) => {
  const digits = text.charCodeAt(offset) === DASH ? offset + 1 : offset;
  if (!isDigit(text.charCodeAt(digits))) return null;
  let at = digits;
  for (;;) {
    const code = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (isExponentMark(code) && (next === DASH || next === PLUS)) at += 2;
    else if (isWord(code) || code === DOT) at += 1;
    else break;
  }
  return lexeme(text, offset, at, readNumber(text.slice(offset, at), offset));
};

/** A string in single or double quotes, or all of the line when it is not closed. */
export const scanString: Scan = (text, offset) => {
  const quote = text[offset];
  if (quote !== "'" && quote !== '"') return null;
  const { end, reading } = readString(text, offset);
  return lexeme(text, offset, end, reading);
};

/** A name in backquotes, or all of the line when it is not closed. */
export const scanQuotedName: Scan = (text, offset) => {
  if (text[offset] !== '`') return null;
  const { end, reading } = readQuotedName(text, offset);
  return lexeme(text, offset, end, reading);
};

/** What is no token, but was clearly meant as one that exists: `==`, `&&`, a typographic quote. */
export const scanMistake: Scan = (text, offset) => {
  const found = smartQuoted(text, offset) ?? wrongOperator(text, offset) ?? dashRun(text, offset);
  return found === undefined ? null : lexeme(text, offset, found.span.end, { problem: found });
};

const DASH = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isWord(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || code === 0x5f || (lower >= 0x61 && lower <= 0x7a);
}

function isExponentMark(code: number): boolean {
  return (code | 0x20) === 0x65;
}
