import {
  type EventValue,
  type Evidence,
  type GroupKey,
  type MeasureResult,
  placeText,
} from '../evaluation/index.js';
import { DURATION_UNITS, type Unit } from '../expression/index.js';
import type { Details } from '../records/index.js';
import type { Plan } from '../runner/index.js';
import {
  type AttributeValue,
  format,
  nanosecondsText,
  parsePlainJson,
  timeText,
} from '../values/index.js';

/**
 * The values of both sides of a measure; only that of the left one where the text states the right one.
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
function unitText(value: string, unit: Unit | undefined): string {
  if (unit === undefined || !Number.isFinite(Number(value))) return value;
  const isWhole = /^-?\d+$/.test(value);
  if (unit === 'duration') return nanosecondsText(isWhole ? BigInt(value) : Number(value));
  return timeText(isWhole ? BigInt(value) : BigInt(Math.floor(Number(value))));
}

/**
 * A number of nanoseconds in the unit of the duration that it was compared with, such as `31.56ms`, or in
 * units that suit it where that would be a long number; undefined where a text does not end in a duration.
 *
 * @param text of a measure
 * @param left the value of its left side, and `right` that of the duration
 */
export function durationValue(text: string, left: string, right: string): string | undefined {
  const [, digits = '', unit = ''] = /(?:^| )(\d+)([a-z]+)$/.exec(text) ?? [];
  const size = Object.hasOwn(DURATION_UNITS, unit) ? DURATION_UNITS[unit] : undefined;
  if (size === undefined || String(BigInt(digits) * size) !== right) return undefined;
  const value = Number(left) / Number(size);
  if (!Number.isFinite(value)) return left;
  const reads = value === 0 || (Math.abs(value) >= 0.1 && Math.abs(value) < 1_000);
  return reads ? `${Number(value.toPrecision(15))}${unit}` : unitText(left, 'duration');
}

/** What a piece of evidence is, in words. */
export function evidenceTitle({ why, of = why }: Evidence): string {
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
    forbidden: 'what should not be there',
    missing: 'in no binding',
  };
  return titles[why];
}

/** An event of evidence, as people read it. */
export interface ShownPlace {
  /** Those that are bound to it, separated by commas. */
  readonly labels: string;
  readonly name: string;
  /** Such as `GAZEBO #3`, or `SHOP request-7 #3` with its timeline. */
  readonly place: string;
  /** What else there is to say about it. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/** The events of a piece of evidence, each once. */
export function shownEvents({ binding, durations = [] }: Evidence): readonly ShownPlace[] {
  const shown = new Map<string, ShownPlace>();
  for (const [label, { attributes = {}, ...event }] of Object.entries(binding)) {
    const place = placeText(event);
    const known = shown.get(place);
    const { name = '', ...others } = attributes;
    const facts = Object.entries(others).map(([key, value]) => ({
      name: key,
      text: valueText(key, value, durations),
    }));
    const labels = known === undefined ? label : `${known.labels}, ${label}`;
    shown.set(place, { labels, name: String(name), place, facts });
  }
  return [...shown.values()];
}

function valueText(name: string, value: EventValue, durations: readonly string[]): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  const unit = name === 'time' ? 'time' : durations.includes(name) ? 'duration' : undefined;
  return unitText(String(value), unit);
}

/** What the differences of an expression come to, such as `b.time - a.time = 1.2s`. */
export function valueTexts({ values = [] }: Evidence): string[] {
  return values.map(({ text, value, unit }) => `${text} = ${unitText(value, unit)}`);
}

/** What a mutator is called, with its probe where it has one. */
export function mutatorTitle({ name, probe }: Pick<Mutation, 'name' | 'probe'>): string {
  return probe === undefined ? name : `${name}@${probe}`;
}

/** A mutation as people read it: `wind speed=12.5 mode=gust`. @param show writes a value */
export function plannedText(
  mutation: Mutation,
  show: (value: AttributeValue) => string = format,
): string {
  const params = [...mutation.params].map(([key, value]) => `${key}=${show(value)}`);
  return [mutatorTitle(mutation), ...params].join(' ');
}

type Mutation = Plan[number];

/** Reads what a journal has kept. */
export function detailsOf(text: string | undefined): Details {
  return text === undefined ? {} : (parsePlainJson(text) as Details);
}

/** How many groups satisfy the measures, and on what an absence was tested: one line each. */
export function summaryLines({ groups, tested, labels = [] }: Details): string[] {
  const lines: string[] = [];
  if (groups !== undefined) {
    const { all, hold, cutOff = 0 } = groups;
    const failing = hold === undefined ? 0 : all - hold;
    const counts = hold === undefined ? `${all} groups` : `satisfied by ${hold} of ${all} groups`;
    lines.push(`${counts}${failing > 0 ? `, not by ${failing}` : ''}`);
    const events = cutOff === 1 ? '1 event lies' : `${cutOff} events lie`;
    const what = `${events} in the last window, which the end of the session cuts short`;
    if (cutOff > 0) lines.push(what);
  }
  if (tested !== undefined) {
    const [absent, bound] = [true, false].map((isAbsent) =>
      labels.filter((one) => (one.absent ?? false) === isAbsent).map(({ label }) => label),
    ) as [string[], string[]];
    const what = bound.length > 0 ? 'choice' : 'event';
    const count = tested === '1' ? `1 ${what}` : `${tested} ${what}s`;
    const of = bound.length > 0 ? bound.join(' and ') : 'the session';
    lines.push(`the absence of ${absent.join(' and ')} was tested on ${count} of ${of}`);
  }
  return lines;
}

/** What the bindings of a group have in common; for a window, when it begins. */
export function keyText({ key, value }: GroupKey): string {
  const isTime = key.startsWith('window(') && /^\d+$/.test(value);
  return `${key} ${isTime ? timeText(BigInt(value)) : value}`;
}
