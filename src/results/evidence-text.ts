import {
  type Evaluation,
  type EventValue,
  type Evidence,
  type GroupKey,
  placeText,
} from '../evaluation/index.js';
import { parsePlainJson, timeText } from '../values/index.js';
import { unitText } from './sides.js';

/** What a piece of evidence is, in words. */
export function evidenceTitle({ why, of = why }: Evidence): string {
  switch (why) {
    case 'first':
      return 'a binding';
    case 'group':
      return 'in the worst group';
    case 'max':
    case 'min':
    case 'percentile':
      return `the binding with ${of}`;
    case 'below':
    case 'above':
      return `the nearest ${why} ${of}`;
    case 'largest':
    case 'smallest':
      return `the ${why} in ${of}`;
    case 'counted':
      return `counted in ${of}`;
    case 'uncounted':
      return `not counted in ${of}`;
    case 'forbidden':
      return 'what should not be there';
    case 'missing':
      return 'in no binding';
  }
}

/** An event of evidence, as people read it. */
export interface ShownPlace {
  /** Those that are bound to it, with commas. */
  readonly labels: string;
  readonly name: string;
  /** Such as `GAZEBO #3`, or `SHOP request-7 #3` with its timeline. */
  readonly place: string;
  /** What else there is to say of it. */
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

/** What the differences of an expression come to, as `b.time - a.time = 1.2s`. */
export function valueTexts({ values = [] }: Evidence): string[] {
  return values.map(({ text, value, unit }) => `${text} = ${unitText(value, unit)}`);
}

/** What a journal keeps of an evaluation. */
export type Details = Partial<
  Pick<Evaluation, 'bindings' | 'tested' | 'measures' | 'groups' | 'labels' | 'evidence'>
>;

/** Reads what a journal has kept. */
export function detailsOf(text: string | undefined): Details {
  return text === undefined ? {} : (parsePlainJson(text) as Details);
}

/** How many groups satisfy the measures, and on what an absence was tested; a line each. */
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

/** What the bindings of a group have in common; of a window when it begins. */
export function keyText({ key, value }: GroupKey): string {
  const isTime = key.startsWith('window(') && /^\d+$/.test(value);
  return `${key} ${isTime ? timeText(BigInt(value)) : value}`;
}
