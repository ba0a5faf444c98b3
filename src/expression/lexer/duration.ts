import { quote } from '../../diagnostics/index.js';
import { UNITS } from '../tree/duration.js';
import type { Reading } from './token.js';

/** The longest unit first where two begin alike. */
const SHAPE = /(-?)(\d+)(?:\.(\d+))?(ns|us|ms|min|s|h)(?![\w.])/y;
const LARGEST = 2n ** 63n - 1n;
/** Of any that fits, in nanoseconds: spares the conversion of a million digits. */
const MOST_DIGITS = 40;

/** Reads the duration at `start`, where there is one: a number and a unit, in nanoseconds. */
export function readDuration(text: string, start: number): Reading | undefined {
  SHAPE.lastIndex = start;
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [image, minus, whole = '', fraction = '', unit = ''] = match;
  const end = start + image.length;
  const refuse = (what: string, help: string): Reading => {
    const message = `duration ${quote(image)} ${what}`;
    return { end, value: undefined, violation: { message, help, span: { start, end } } };
  };
  const digits = whole.replace(/^0+(?=\d)/, '') + fraction;
  if (digits.length > MOST_DIGITS) return refuse('does not fit in 64 bits', SMALLER);
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(digits) * (UNITS[unit] as bigint);
  if (scaled % scale !== 0n) {
    return refuse('is not a whole number of nanoseconds', 'leave out the last digits');
  }
  const value = scaled / scale;
  if (value > LARGEST) return refuse('does not fit in 64 bits', SMALLER);
  const nanoseconds = minus === '' ? value : -value;
  return { end, value: { nanoseconds }, violation: undefined };
}

const SMALLER = 'expected less than 2562047h, about 292 years';
