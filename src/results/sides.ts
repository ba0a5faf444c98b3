import { DURATION_UNITS } from '../expression/index.js';
import { nanosecondsText } from '../values/index.js';

/**
 * The values of both sides of a measure; of the left one alone where the right one stands in the text.
 * Differences of times are durations, in the unit of the duration that they are compared with.
 *
 * @param text of the measure
 */
export function sidesText(text: string, left: string, right: string): string {
  const inUnit = durationValue(text, left, right);
  if (inUnit !== undefined) return inUnit;
  const [leftText = '', rightText = ''] = text.split(COMPARATOR);
  const shown = sideText(leftText, left);
  return text.endsWith(` ${right}`) ? shown : `${shown} and ${sideText(rightText, right)}`;
}

const COMPARATOR = / (?:<=?|>=?|!?=) /;
/** An aggregate of a difference of two times. */
const DIFFERENCE = /^\w+\((?:[^()]*\.)?time - (?:[^()]*\.)?time\)$/;

function sideText(text: string, value: string): string {
  if (!DIFFERENCE.test(text) || !Number.isFinite(Number(value))) return value;
  return nanosecondsText(/^-?\d+$/.test(value) ? BigInt(value) : Number(value));
}

/**
 * A number of nanoseconds in the unit of the duration that it was compared with, such as `31.56ms`;
 * undefined where a text does not end in a duration.
 *
 * @param text of a measure
 * @param left the value of its left side, and `right` that of the duration
 */
export function durationValue(text: string, left: string, right: string): string | undefined {
  const [, digits = '', unit = ''] = /(?:^| )(\d+)([a-z]+)$/.exec(text) ?? [];
  const size = Object.hasOwn(DURATION_UNITS, unit) ? DURATION_UNITS[unit] : undefined;
  if (size === undefined || String(BigInt(digits) * size) !== right) return undefined;
  const value = Number(left) / Number(size);
  return Number.isFinite(value) ? `${Number(value.toPrecision(15))}${unit}` : left;
}
