import { quote } from '../diagnostics/index.js';
import type { Reading } from './reading.js';

const SHAPE = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** Longer than any 64-bit integer: spares the conversion of a number of a million digits. */
const MOST_DIGITS = 19;
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Reads a number: an integer (exact, 64 bits) without fraction and exponent,
 * otherwise a float (finite). `offset` is where it stands in the text.
 */
export function readNumber(image: string, offset: number): Reading<bigint | number> {
  const shape = SHAPE.exec(image);
  const span = { start: offset, end: offset + image.length };
  if (shape === null) {
    return {
      problem: { message: `malformed number ${quote(image)}`, help: mend(image), span },
    };
  }
  if (shape[1] === undefined && shape[2] === undefined) {
    const value = integer(image);
    if (value !== undefined) return { value };
    const message = `integer ${quote(image)} does not fit in 64 bits`;
    const help = `expected an integer from ${SMALLEST} to ${LARGEST}, or a float such as 1e19`;
    return { problem: { message, help, span } };
  }
  const value = Number(image);
  if (Number.isFinite(value)) return { value };
  const message = `number ${quote(image)} is too large for a float`;
  return { problem: { message, help: `expected at most ${Number.MAX_VALUE}`, span } };
}

function integer(image: string): bigint | undefined {
  const digits = image.replace(/^-?0*/, '');
  if (digits.length > MOST_DIGITS) return undefined;
  const value = BigInt(`0${digits}`) * (image.startsWith('-') ? -1n : 1n);
  return value >= SMALLEST && value <= LARGEST ? value : undefined;
}

function mend(image: string): string {
  if (/^-?\d+\.$/.test(image)) return `write ${quote(`${image}0`)}`;
  if (/^-?0[xXbBoO]/.test(image)) return 'write the number in decimal';
  if (/^-?\d[\d_]*$/.test(image)) return 'write the digits without "_"';
  if (/^-?\d+(\.\d+)?[A-Za-z]+$/.test(image)) {
    return 'write a number without a unit, or a string in quotes';
  }
  return 'expected a number such as 5, -0.5 or 1e6; a string stands in quotes';
}

/** A float as it is written: always with a fraction or an exponent, and read back the same. */
export function printFloat(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
