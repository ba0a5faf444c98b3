import {
  type Advice,
  quote,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import { parseDuration, toMs, unitNamed } from '../../values/index.js';
import { printDuration, UNITS } from '../tree/print.js';

/** The value of a token, stored as its `payload`. */
export type Value = string | bigint | number | { readonly nanoseconds: bigint };

/** The result of reading a literal: its end, and its value or the violation. */
export interface LiteralReading {
  readonly end: number;
  readonly value?: Value | undefined;
  readonly violation?: Violation | undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  t: '\t',
  r: '\r',
};

/** Reads the string at `start`, up to its closing quote or the end of the line. */
export function readString(text: string, start: number): LiteralReading {
  const delimiter = text.charCodeAt(start);
  const parts: string[] = [];
  let plainStart = start + 1;
  let at = plainStart;
  let violation: Violation | undefined;
  for (;;) {
    PLAIN_RUN.lastIndex = at;
    if (PLAIN_RUN.test(text)) at = PLAIN_RUN.lastIndex;
    const code = text.charCodeAt(at);
    if (endsLine(code)) return unclosed('string', text, start, at);
    if (code === delimiter) break;
    if (code !== BACKSLASH || endsLine(text.charCodeAt(at + 1))) {
      at += 1;
      continue;
    }
    const escapeReading = readEscape(text, at);
    parts.push(text.slice(plainStart, at), escapeReading.value ?? '');
    if (escapeReading.value === undefined) violation ??= badEscape(text, at, escapeReading.end);
    at = escapeReading.end;
    plainStart = at;
  }
  if (violation !== undefined) return { end: at + 1, violation };
  return { end: at + 1, value: parts.join('') + text.slice(plainStart, at) };
}

/** Reads the name in backquotes at `start`. */
export function readQuotedName(text: string, start: number): LiteralReading {
  NAME_RUN.lastIndex = start + 1;
  const at = NAME_RUN.test(text) ? NAME_RUN.lastIndex : start + 1;
  if (text[at] !== '`') return unclosed('name', text, start, at);
  const end = at + 1;
  if (at > start + 1) return { end, value: text.slice(start + 1, at) };
  return { end, violation: { message: 'a name in backquotes is empty', span: { start, end } } };
}

/** Matches characters that cannot end a string (`PLAIN_RUN`) or a name in backquotes (`NAME_RUN`). */
const PLAIN_RUN = /[^'"\\\r\n]+/y;
const NAME_RUN = /[^`\r\n]+/y;
const BACKSLASH = 0x5c;

/** True for a line break, or for NaN, the code at the end of the text. */
function endsLine(code: number): boolean {
  return code === 0x0a || code === 0x0d || Number.isNaN(code);
}

function readEscape(text: string, at: number): { readonly end: number; readonly value?: string } {
  const letter = text[at + 1] as string;
  if (letter === 'u') {
    const digits = /^[0-9a-fA-F]{0,4}/.exec(text.slice(at + 2, at + 6))?.[0] ?? '';
    const end = at + 2 + digits.length;
    return digits.length === 4
      ? { end, value: String.fromCharCode(Number.parseInt(digits, 16)) }
      : { end };
  }
  const value = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (value !== undefined) return { end: at + 2, value };
  return { end: at + 1 + String.fromCodePoint(text.codePointAt(at + 1) as number).length };
}

function badEscape(text: string, start: number, end: number): Violation {
  const image = text.slice(start, end);
  const message = `unknown escape sequence ${quote(image)}`;
  const help = image.startsWith('\\u')
    ? '"\\u" needs four hexadecimal digits'
    : `write \\\\ for a backslash; the escape sequences are \\\\ \\' \\" \\n \\t \\r \\uXXXX`;
  return { message, help, instead: `\\${image}`, span: { start, end } };
}

function unclosed(
  subject: 'string' | 'name',
  text: string,
  start: number,
  end: number,
): LiteralReading {
  const sign = text.charAt(start);
  const mark = subject === 'name' ? 'backquote' : `quote (${sign})`;
  const message = `the ${subject} is not closed on its line`;
  const help = `add the closing ${mark}, or look for a stray quote before it`;
  const openQuote = openBefore(text, start);
  if (openQuote === undefined) return { end, violation: { message, help, span: { start, end } } };
  const [, word = ''] = /^([\w.*-]*)/.exec(text.slice(openQuote + 1, start)) ?? [];
  const close = openQuote + 1 + word.length;
  const fix = suggestedFix({ start: close, end: close }, sign, `add the closing ${mark}`);
  return { end, violation: { message, help, span: { start: openQuote, end: close }, fix } };
}

/** Maximum number of characters in a line to search for an unclosed quote. */
const LONGEST_LINE = 10_000;

/**
 * Returns the start of an unclosed string on the line. A quote directly before a word seems to
 * close the string, but was intended to open the next string.
 */
function openBefore(text: string, start: number): number | undefined {
  const line = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - LONGEST_LINE);
  for (const { 0: image, index } of text.slice(line, start).matchAll(QUOTED_TEXT)) {
    const following = text.charAt(line + index + image.length);
    if (
      image.startsWith(text.charAt(start)) &&
      /\w/.test(following) &&
      /\W/.test(image.slice(1, -1))
    )
      return line + index;
  }
  return undefined;
}

const QUOTED_TEXT = /'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*"|`[^`\r\n]*`/g;

const SHAPE = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/**
 * Maximum length of a 64-bit integer, including its sign. Avoids the conversion of a number with a
 * million digits.
 */
const MAX_DIGITS = 20;
const MIN_INTEGER = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Reads the number at `start`, if there is one. The number is an exact 64-bit integer if it has
 * neither fraction nor exponent, otherwise a finite float.
 */
export function readNumber(text: string, start: number): LiteralReading | undefined {
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text)) return undefined;
  let end = endOfRun(text, start + 1);
  while (/[eE]/.test(text.charAt(end - 1)) && /[+-]/.test(text.charAt(end))) {
    end = endOfRun(text, end + 1);
  }
  const image = text.slice(start, end);
  const span = { start, end };
  const shape = SHAPE.exec(image);
  if (shape === null) {
    return {
      end,
      violation: { message: `malformed number ${quote(image)}`, ...mend(image), span },
    };
  }
  const isInteger = shape[1] === undefined && shape[2] === undefined;
  const value = isInteger ? integer(image) : Number(image);
  if (typeof value === 'bigint' || (value !== undefined && Number.isFinite(value))) {
    return { end, value };
  }
  const message = isInteger
    ? `integer ${quote(image)} does not fit in 64 bits`
    : `number ${quote(image)} is too large for a float`;
  const help = isInteger
    ? `expected an integer from ${MIN_INTEGER} to ${LARGEST}, or a float such as 1e19`
    : `expected at most ${Number.MAX_VALUE}`;
  return { end, violation: { message, help, span } };
}

/** True for a name of infinity or NaN in another language. */
export function isNonFinite(word: string): boolean {
  return /^(?:inf|infinity|nan)$/i.test(word);
}

/** Advice against comparing with an infinity. */
export const FINITE_ADVICE =
  'numbers are always finite, so omit the comparison, or compare with a finite number';

/** Matches digits in groups of three, as in `1,000,000.5`. */
const GROUPED_DIGITS =
  /(?<![\w.])-?[1-9]\d{0,2}(?:,\d{3})+(?![\d_])(?:\.\d+)?(?:ns|us|ms|s|min|h)?(?!\w)/g;
const LONGEST_GROUPS = 40;

/**
 * Returns the number with digit groups, such as `1,000`, at an offset.
 *
 * @returns its start and end, the start of its last group, and its violation
 */
export function groupedDigits(
  text: string,
  at: number,
):
  | {
      readonly start: number;
      readonly end: number;
      readonly last: number;
      readonly violation: Violation;
    }
  | undefined {
  const from = Math.max(0, at - LONGEST_GROUPS);
  for (const { 0: image, index } of text
    .slice(from, at + LONGEST_GROUPS)
    .matchAll(GROUPED_DIGITS)) {
    const [start, end] = [from + index, from + index + image.length];
    if (start > at || at >= end) continue;
    const comma = start + image.indexOf(',');
    const fix = suggestedFix({ start, end }, image.replaceAll(',', ''));
    const isDecimal = /^[^,]+,[^,0][^,.]*$/.test(image);
    const decimal = suggestedFix({ start, end }, image.replace(',', '.'));
    const violation: Violation = {
      message: `the number ${quote(image)} has a comma`,
      help: isDecimal
        ? `${fix.title}, or ${image.replace(',', '.')} for a decimal comma`
        : fix.title,
      span: { start: comma, end: comma + 1 },
      fix: { ...fix, ...(isDecimal && { alternatives: [decimal] }) },
    };
    return { start, end, last: start + image.lastIndexOf(',') + 1, violation };
  }
  return undefined;
}

/**
 * Returns the end of the characters that were probably intended as one number, such as `5`,
 * `-1.5e3`, or the malformed `5abc` and `1.2.3`.
 */
function endOfRun(text: string, start: number): number {
  RUN.lastIndex = start;
  return RUN.test(text) ? RUN.lastIndex : start;
}

const NUMBER = /-?\d/y;
const RUN = /[\w.]+/y;

/** Parses an integer; returns undefined for more than 64 bits. Ignores leading zeros. */
function integer(image: string): bigint | undefined {
  const digits = image.length > MAX_DIGITS ? image.replace(/^(-?)0+(?=\d)/, '$1') : image;
  if (digits.length > MAX_DIGITS) return undefined;
  const value = BigInt(digits);
  return value >= MIN_INTEGER && value <= LARGEST ? value : undefined;
}

function mend(image: string): Advice {
  if (/^-?\d+\.$/.test(image)) return writing(`${image}0`, quote(`${image}0`));
  if (/^-?0[xXbBoO]/.test(image)) return decimalAdvice(image);
  if (/^-?\d+(\.\d+)?[eE][+-]?$/.test(image)) {
    return { help: 'an exponent follows "e", as in 1e6' };
  }
  if (/^-?\d[\d_]*$/.test(image)) {
    return { help: 'write the digits without "_"', instead: image.replaceAll('_', '') };
  }
  if (/^-?\d+(\.\d+)?[A-Za-z]+$/.test(image)) {
    return (
      unitAdvice(image) ?? {
        help: 'expected a number without a unit, a duration such as 5s, or a string in quotes',
      }
    );
  }
  return (
    severalUnits(image) ?? { help: 'expected a number such as 5, -0.5 or 1e6; a string has quotes' }
  );
}

/** Advises on a duration with several units, such as `1h30m` or `5min30s`. */
function severalUnits(image: string): Advice | undefined {
  if (!/^(?:\d+(?:\.\d+)?[a-z]+){2,}$/i.test(image)) return undefined;
  const reading = parseDuration(image);
  const ms = 'problem' in reading ? toMs(reading.instead) : reading.ms;
  if (ms === undefined || !Number.isSafeInteger(ms)) return undefined;
  return writing(printDuration(BigInt(ms) * 1_000_000n));
}

/** Advises on a number that is not decimal, such as `0x1F`. */
function decimalAdvice(image: string): Advice {
  const digits = image.replace('-', '');
  if (!/^0(?:x[\da-f]{1,15}|o[0-7]{1,20}|b[01]{1,60})$/i.test(digits)) {
    return { help: 'numbers are decimal' };
  }
  return writing(`${image.startsWith('-') ? '-' : ''}${BigInt(digits)}`);
}

/** Advises on a duration with another name for its unit, such as `10sec` or `5m`. */
export function unitAdvice(image: string): Advice | undefined {
  const [, number = '', name = ''] = /^(-?\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(image) ?? [];
  const unit = Object.hasOwn(UNITS, name) ? name : unitNamed(name);
  if (unit === 'd') return writing(`${Number(number) * 24}h`);
  return unit === undefined ? undefined : writing(`${number}${unit}`);
}

/** Maximum exponent, and maximum number of digits, of a decimal kept as written. */
const LARGEST_DECIMAL = 1000;

/**
 * Returns the decimal as written, in scientific notation, if it differs from the shortest text of
 * its nearest double. Returns undefined otherwise, and for a decimal that is too large or too long
 * for calculations.
 */
export function exactDecimal(double: number, image: string): string | undefined {
  // A double represents any decimal this short exactly, unless the exponent is near the limits.
  if (image.length <= 16 && !/[eE]/.test(image)) return undefined;
  const shortest = scientific(image);
  if (shortest === undefined || shortest === scientific(String(double))) return undefined;
  return shortest;
}

/**
 * Normalizes a number to scientific notation, such as `-12.50e3` to `-1.25e4`. Returns undefined if
 * the digits or the exponent exceed the limit.
 */
function scientific(image: string): string | undefined {
  const [, sign = '', integerDigits = '', fraction = '', exponent = '0'] =
    DECIMAL.exec(image) ?? [];
  const allDigits = integerDigits + fraction;
  const firstNonZero = /[1-9]/.exec(allDigits)?.index;
  if (firstNonZero === undefined) return `${sign}0`;
  const digits = allDigits.slice(firstNonZero).replace(/0+$/, '');
  const power = integerDigits.length - 1 - firstNonZero + Number(exponent);
  if (digits.length > LARGEST_DECIMAL || Math.abs(power) > LARGEST_DECIMAL) return undefined;
  const decimals = digits.slice(1);
  return `${sign}${digits.charAt(0)}${decimals && '.'}${decimals}e${power}`;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Matches a duration. Of units with the same beginning, the longest comes first. */
const DURATION = /(-?)(\d+)(?:\.(\d+))?(ns|us|ms|min|s|h)(?![\w.])/y;
/** Maximum number of digits of a duration in nanoseconds. Avoids the conversion of a million digits. */
const MAX_DURATION_DIGITS = 40;

/** Reads the duration at `start`, if there is one. The value is in nanoseconds. */
export function readDuration(text: string, start: number): LiteralReading | undefined {
  DURATION.lastIndex = start;
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [image, minus, integerDigits = '', fraction = '', unit = ''] = match;
  const end = start + image.length;
  const refuse = (subject: string, help: string): LiteralReading => {
    const message = `duration ${quote(image)} ${subject}`;
    return { end, violation: { message, help, span: { start, end } } };
  };
  const digits = integerDigits.replace(/^0+(?=\d)/, '') + fraction;
  if (digits.length > MAX_DURATION_DIGITS) return refuse('does not fit in 64 bits', SMALLER_ADVICE);
  const scale = 10n ** BigInt(fraction.length);
  const scaledValue = BigInt(digits) * (UNITS[unit] as bigint);
  if (scaledValue % scale !== 0n) {
    return refuse('is not a whole number of nanoseconds', 'leave out the last digits');
  }
  const value = scaledValue / scale;
  if (value > LARGEST) return refuse('does not fit in 64 bits', SMALLER_ADVICE);
  return { end, value: { nanoseconds: minus === '' ? value : -value } };
}

const SMALLER_ADVICE = 'expected less than 2562047h, about 292 years';

/** True if a text is a valid duration. */
export function isDuration(text: string): boolean {
  const reading = readDuration(text, 0);
  return reading?.end === text.length && reading.violation === undefined;
}
