import type { Evidence, MeasureResult } from '../evaluation/index.js';
import { DURATION_UNITS, type Unit } from '../expression/index.js';
import type { Plan } from '../runner/index.js';
import {
  type AttributeValue,
  durationText,
  format,
  nanosecondsText,
  timeText,
} from '../values/index.js';

/**
 * Formats the values of a measure's sides. Omits the right side's value if the measure's text
 * contains it. If the right side is a duration, uses its unit.
 */
export function sidesText({ text, left, right, unit, all, any }: MeasureResult): string {
  const parts = (all ?? any)?.map((one) => (one.any ? `(${sidesText(one)})` : sidesText(one)));
  if (parts !== undefined) return parts.join(all ? ' and ' : ' or ');
  const inUnit = durationValue(text, left, right);
  if (inUnit !== undefined) return inUnit;
  const shown = quantityText(left, unit);
  return text.endsWith(` ${right}`) ? shown : `${shown} and ${quantityText(right, unit)}`;
}

/** Formats nanoseconds as a duration or time. Returns values without a unit unchanged. */
export function quantityText(value: string, unit: Unit | undefined): string {
  if (unit === undefined || !Number.isFinite(Number(value))) return value;
  const isWhole = /^-?\d+$/.test(value);
  if (unit === 'duration') return nanosecondsText(isWhole ? BigInt(value) : Number(value));
  return timeText(isWhole ? BigInt(value) : BigInt(Math.floor(Number(value))));
}

/**
 * Formats nanoseconds in the unit of the compared duration, such as `31.56ms`, or in more suitable
 * units if the text would be long. Returns undefined if the measure's text does not end in a
 * duration.
 *
 * @param text the measure's text
 * @param left the left side's value
 * @param right the right side's value, in nanoseconds
 */
export function durationValue(text: string, left: string, right: string): string | undefined {
  const [, digits = '', unit = ''] = /(?:^| )(\d+)([a-z]+)$/.exec(text) ?? [];
  const size = Object.hasOwn(DURATION_UNITS, unit) ? DURATION_UNITS[unit] : undefined;
  if (size === undefined || String(BigInt(digits) * size) !== right) return undefined;
  const value = Number(left) / Number(size);
  if (!Number.isFinite(value)) return left;
  const reads = value === 0 || (Math.abs(value) >= 0.1 && Math.abs(value) < 1_000);
  return reads ? `${Number(value.toPrecision(15))}${unit}` : quantityText(left, 'duration');
}

/** Returns a title for a piece of evidence. */
export function evidenceTitle({ why, of = why, near }: Evidence): string {
  const extreme = `the binding with ${of}`;
  const titles: Readonly<Record<Evidence['why'], string>> = {
    first: 'a binding',
    group: 'in the worst group',
    ...{ max: extreme, min: extreme, percentile: extreme },
    below: `the nearest below ${of}`,
    above: `the nearest above ${of}`,
    largest: `the largest in ${of}`,
    smallest: `the smallest in ${of}`,
    counted: `counted in ${of}`,
    uncounted: `not counted in ${of}`,
    forbidden: 'the unexpected event',
    missing: 'in no binding',
    near: `near miss: ${near?.text}`,
    clocks: 'ordered by the clocks alone',
  };
  return titles[why];
}

/** Returns the values of an expression's differences, such as `b.time - a.time = 1.2s`. */
export function valueTexts({ values = [] }: Evidence): string[] {
  return values.map(({ text, value, unit }) => `${text} = ${quantityText(value, unit)}`);
}

/** Returns a mutator's name, with its probe if there is one. */
export function mutatorTitle({ name, probe }: Pick<Mutation, 'name' | 'probe'>): string {
  return probe === undefined ? name : `${name}@${probe}`;
}

/**
 * Formats a mutation for users, such as `wind speed=12.5 mode=gust after 2s for 500ms`.
 *
 * @param show formats a value
 */
export function plannedText(
  mutation: Mutation,
  show: (value: AttributeValue) => string = format,
): string {
  const params = [...mutation.params].map(([key, value]) => `${key}=${show(value)}`);
  const { onset, duration } = mutation.timing ?? {};
  return [
    ...[mutatorTitle(mutation), ...params],
    ...(onset === undefined ? [] : [`after ${durationText(onset)}`]),
    ...(duration === undefined ? [] : [`for ${durationText(duration)}`]),
  ].join(' ');
}

/**
 * Formats a set for users, such as `wind speed=12.5 mode=gust + link loss=0.4`.
 *
 * @param show formats a value
 */
export function planText(plan: Plan, show?: (value: AttributeValue) => string): string {
  if (plan.length === 0) return 'no mutation';
  return plan.map((one) => plannedText(one, show)).join(' + ');
}

type Mutation = Plan[number];
