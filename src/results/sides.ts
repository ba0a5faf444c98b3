import type { MeasureResult } from '../evaluation/index.js';
import { DURATION_UNITS, type Unit } from '../expression/index.js';
import { nanosecondsText, timeText } from '../values/index.js';

/**
 * The values of both sides of a measure; of the left one alone where the right one stands in the text.
 * Lengths of time are durations, in the unit of the duration that they are compared with.
 */
export function sidesText({ text, left, right, unit }: MeasureResult): string {
  const inUnit = durationValue(text, left, right);
  if (inUnit !== undefined) return inUnit;
  const shown = unitText(left, unit);
  return text.endsWith(` ${right}`) ? shown : `${shown} and ${unitText(right, unit)}`;
}

/** A measure, and what its sides come to. */
export function sidesOfMeasure(measure: MeasureResult): string {
  return `${measure.text}: ${sidesText(measure)}`;
}

/** A number of nanoseconds as people read it; any other value as it is. */
export function unitText(value: string, unit: Unit | undefined): string {
  if (unit === undefined || !Number.isFinite(Number(value))) return value;
  const isWhole = /^-?\d+$/.test(value);
  if (unit === 'duration') return nanosecondsText(isWhole ? BigInt(value) : Number(value));
  return timeText(isWhole ? BigInt(value) : BigInt(Math.floor(Number(value))));
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
