import { DURATION_UNITS } from '../../expression/index.js';

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
