import { quote, type Violation } from '../diagnostics/index.js';

const SHAPE = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** Of any 64-bit integer, with its sign: spares the conversion of a number of a million digits. */
const MOST_DIGITS = 20;
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

interface NumberReading {
  /** Absent with a problem. */
  readonly value: bigint | number | undefined;
  readonly problem: Violation | undefined;
}

/**
 * Reads a number: an integer (exact, 64 bits) without fraction and exponent,
 * otherwise a float (finite). `offset` is where it stands in the text.
 */
export function readNumber(image: string, offset: number): NumberReading {
  const shape = SHAPE.exec(image);
  if (shape === null) {
    return refuse(image, offset, `malformed number ${quote(image)}`, mend(image));
  }
  if (shape[1] === undefined && shape[2] === undefined) {
    const value = integer(image);
    if (value !== undefined) return { value, problem: undefined };
    const help = `expected an integer from ${SMALLEST} to ${LARGEST}, or a float such as 1e19`;
    return refuse(image, offset, `integer ${quote(image)} does not fit in 64 bits`, help);
  }
  const value = Number(image);
  if (Number.isFinite(value)) return { value, problem: undefined };
  const help = `expected at most ${Number.MAX_VALUE}`;
  return refuse(image, offset, `number ${quote(image)} is too large for a float`, help);
}

function refuse(image: string, start: number, message: string, help: string): NumberReading {
  const span = { start, end: start + image.length };
  return { value: undefined, problem: { message, help, span } };
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
    return 'write a number without a unit, or a string in quotes';
  }
  return 'expected a number such as 5, -0.5 or 1e6; a string stands in quotes';
}

/** A float as it is written: always with a fraction or an exponent, and read back the same. */
export function printFloat(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
