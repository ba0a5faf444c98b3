import { quote } from '../../diagnostics/index.js';
import type { Reading } from './token.js';

const SHAPE = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** Of any 64-bit integer, with its sign: spares the conversion of a number of a million digits. */
const MOST_DIGITS = 20;
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Reads the number at `start`, where there is one: an integer (exact, 64 bits)
 * without fraction and exponent, otherwise a float (finite).
 */
export function readNumber(text: string, start: number): Reading | undefined {
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text)) return undefined;
  let end = endOfRun(text, start + 1);
  while (/[eE]/.test(text.charAt(end - 1)) && /[+-]/.test(text.charAt(end))) {
    end = endOfRun(text, end + 1);
  }
  return { end, ...judge(text.slice(start, end), start) };
}

/** All that was meant as one number, such as `5`, `-1.5e3` or the malformed `5abc` and `1.2.3`. */
function endOfRun(text: string, start: number): number {
  RUN.lastIndex = start;
  return RUN.test(text) ? RUN.lastIndex : start;
}

const NUMBER = /-?\d/y;
const RUN = /[\w.]+/y;

type Value = Omit<Reading, 'end'>;

function judge(image: string, offset: number): Value {
  const shape = SHAPE.exec(image);
  if (shape === null) {
    return refuse(image, offset, `malformed number ${quote(image)}`, mend(image));
  }
  if (shape[1] === undefined && shape[2] === undefined) {
    const value = integer(image);
    if (value !== undefined) return { value, violation: undefined };
    const help = `expected an integer from ${SMALLEST} to ${LARGEST}, or a float such as 1e19`;
    return refuse(image, offset, `integer ${quote(image)} does not fit in 64 bits`, help);
  }
  const value = Number(image);
  if (Number.isFinite(value)) return { value, violation: undefined };
  const help = `expected at most ${Number.MAX_VALUE}`;
  return refuse(image, offset, `number ${quote(image)} is too large for a float`, help);
}

function refuse(image: string, start: number, message: string, help: string): Value {
  const span = { start, end: start + image.length };
  return { value: undefined, violation: { message, help, span } };
}

/** Leading zeros don't count towards the 64 bits. */
function integer(image: string): bigint | undefined {
  const digits = image.length > MOST_DIGITS ? image.replace(/^(-?)0+(?=\d)/, '$1') : image;
  if (digits.length > MOST_DIGITS) return undefined;
  const value = BigInt(digits);
  return value >= SMALLEST && value <= LARGEST ? value : undefined;
}

function mend(image: string): string {
  if (/^-?\d+\.$/.test(image)) return `write ${quote(`${image}0`)}`;
  if (/^-?0[xXbBoO]/.test(image)) return 'write the number in decimal';
  if (/^-?\d+(\.\d+)?[eE][+-]?$/.test(image)) return 'write the exponent after "e", as in 1e6';
  if (/^-?\d[\d_]*$/.test(image)) return 'write the digits without "_"';
  if (/^-?\d+(\.\d+)?[A-Za-z]+$/.test(image)) {
    return 'write a number without a unit, a duration such as 5s, or a string in quotes';
  }
  return 'expected a number such as 5, -0.5 or 1e6; a string has quotes';
}
