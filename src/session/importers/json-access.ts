import {
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  numberText,
} from '../../values/index.js';
import type { SessionValue } from '../builder.js';
import { RESERVED, TIMELINE } from '../session.js';

/* Access to JSON that others wrote: what is not as expected is undefined. */

export function membersOf(json: Json | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** The items of a list; none for anything else. */
export function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** A string that is not empty. */
export function jsonText(json: Json | undefined): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

/** An integer, written as a number or, as is common for 64 bits, as a string. */
export function wholeOf(json: Json | undefined): bigint | undefined {
  if (typeof json === 'string') return /^-?\d{1,20}$/.test(json) ? BigInt(json) : undefined;
  if (json === undefined) return undefined;
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  if (value.type === 'integer' || value.type === 'nanoseconds') return value.value;
  return value.type === 'float' && Number.isFinite(value.value)
    ? BigInt(Math.round(value.value))
    : undefined;
}

/** `1.5`, `1` or, since JSON has no such numbers, `"NaN"`, `"Infinity"` or `"-Infinity"`. */
export function floatOf(json: Json | undefined): number | undefined {
  if (typeof json === 'string') {
    const number = Number(json);
    return json.trim() === '' || Number.isNaN(number) ? undefined : number;
  }
  if (json === undefined) return undefined;
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  const isNumber = ['integer', 'bigInteger', 'float'].includes(value.type);
  return isNumber ? Number(value.value) : undefined;
}

/** Names that an importer gives a meaning of its own. */
export const OWN: readonly string[] = [
  ...RESERVED,
  ...[TIMELINE, 'span.start', 'span.end', 'span.duration'],
];

/** Deeper values are ignored. */
export const DEEPEST_VALUE = 16;

/**
 * The attributes of an event made from another format. If two have the same name, the first keeps
 * it; the others, and those with a reserved name, are called `attribute.NAME`.
 */
export class ImportedAttributes extends Map<string, SessionValue> {
  add(name: string, value: SessionValue | undefined): this {
    if (value === undefined) return this;
    const taken = OWN.includes(name) || this.has(name);
    return this.set(taken ? `attribute.${name}` : name, value);
  }

  addJson(name: string, json: Json | undefined): this {
    addJson(this, name, json);
    return this;
  }
}

interface Attributes {
  add(name: string, value: SessionValue): unknown;
}

/** Adds the scalars of any JSON; those of members and items are called `NAME.KEY` and `NAME.INDEX`. */
export function addJson(attributes: Attributes, name: string, json: Json | undefined): void {
  walkJson(name, json, (key, one) => addScalar(attributes, key, one));
}

/** Passes a JSON value to `take` and, unless that returns true, its members and items, each with its name. */
export function walkJson(
  name: string,
  json: Json | undefined,
  take: (name: string, json: Json) => boolean,
  depth = 0,
): void {
  if (json === undefined || json === null || depth > DEEPEST_VALUE || take(name, json)) return;
  for (const [key, member] of Object.entries(membersOf(json))) {
    walkJson(`${name}.${key}`, member, take, depth + 1);
  }
  for (const [index, item] of itemsOf(json).entries()) {
    walkJson(`${name}.${index}`, item, take, depth + 1);
  }
}

/** Adds a scalar; returns whether it is one. */
export function addScalar(attributes: Attributes, name: string, json: Json): boolean {
  const value = fromJson(json);
  if ('problem' in value) return false;
  attributes.add(name, value.type === 'string' ? value.value : value);
  return true;
}

/* Times as people and programs write them, in nanoseconds since 1970. */

const NUMBER = /^(-?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
const CLOCK = String.raw`(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9})\d*)?)?`;
const TWELVE = String.raw`(?<hour>\d{1,2}):${CLOCK} ?(?<half>[AP])M$`;

const FORMS = [
  // ISO 8601 and its usual variations, also a date or a time of day alone.
  new RegExp(
    String.raw`^(?=\d)(?:(?<year>\d{4})[-/](?<month>\d\d)[-/](?<day>\d\d)[T ]?)?(?:(?<hour>\d\d):${CLOCK})? ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?$`,
  ),
  // `Nov  3 04:05:06`, which has no year.
  /^(?<month>[A-Z][a-z]{2}) +(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d{1,9})\d*)?$/,
  // `1:31:02 PM` with or without a day, which may be in American style: `11/23/2026`, `Nov 23, 2026`.
  new RegExp(String.raw`^(?:(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d),? )?${TWELVE}`, 'i'),
  new RegExp(
    String.raw`^(?<month>\d{1,2}(?=\/)|[A-Z][a-z]{2}(?= ))[/ ](?<day>\d{1,2})(?:\/|, )(?<year>\d{4}),? ${TWELVE}`,
    'i',
  ),
  // `03/Nov/2026:04:05:06 +0100`, as web servers write it, and Redis's `03 Nov 2026 04:05:06.789`.
  /^(?<day>\d\d)[/ ](?<month>[A-Z][a-z]{2})[/ ](?<year>\d{4})[: ](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?(?: (?<zone>[+-]\d{4}))?$/,
  // `1103 04:05:06.789012`, with or without a year before it, as klog and glog write it.
  /^(?<year>\d{4})?(?<month>\d\d)(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{1,9})$/,
];

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** Below each limit, the unit of a count since 1970, as a power of ten in nanoseconds: seconds until 5138. */
const UNITS = [
  [1e11, 9],
  [1e14, 6],
  [1e17, 3],
  [Number.POSITIVE_INFINITY, 0],
] as const;

/**
 * The nanoseconds since 1970 of a time: ISO 8601 and its usual variations; a count since 1970 of seconds,
 * milliseconds, microseconds or nanoseconds, told apart by its size; the times of syslog, klog, Redis and
 * web servers; and a twelve-hour clock. A time without a zone is UTC, one without a year is in 1970, and
 * one without a date is on the first day of 1970.
 */
export function parseTime(written: string): bigint | undefined {
  const number = NUMBER.exec(written);
  if (number !== null) return countOf(number);
  for (const form of FORMS) {
    const parts = form.exec(written)?.groups;
    if (parts !== undefined) return momentOf(parts);
  }
  return undefined;
}

function countOf(match: RegExpExecArray): bigint | undefined {
  const [, , whole = '', fraction = '', exponent = '0'] = match;
  const size = Number(`${whole}.${fraction}e${exponent}`);
  return scaled(match, UNITS.find(([below]) => size < below)?.[1] ?? 0);
}

function scaled(
  [, sign, whole = '', fraction = '', exponent = '0']: RegExpExecArray,
  shift: number,
): bigint | undefined {
  const digits = BigInt(whole + fraction);
  const places = shift + Number(exponent) - fraction.length;
  const value = places >= 0 ? digits * 10n ** BigInt(places) : digits / 10n ** BigInt(-places);
  const signed = sign === '-' ? -value : value;
  return BigInt.asIntN(64, signed) === signed ? signed : undefined;
}

/** Microseconds in nanoseconds; fractions of a nanosecond are cut off. */
export function microsecondsOf(json: Json | undefined): bigint | undefined {
  const match = NUMBER.exec(typeof json === 'string' ? json : (numberText(json ?? null) ?? ''));
  return match === null ? undefined : scaled(match, 3);
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction' | 'zone' | 'half';

/** @param parts as they are written; the month may be a name, and `half` is A or P of a twelve-hour clock */
function momentOf(parts: { readonly [P in Part]?: string | undefined }): bigint | undefined {
  const { year = '1970', month: named = '1', fraction = '', zone = 'Z', half } = parts;
  const { day: on = '1', hour: of = '0', minute: past = '0', second: behind = '0' } = parts;
  const month = Number(named) || MONTHS.indexOf(named) / 3 + 1;
  const [day = 0, written = 0, minute = 0, second = 0] = [on, of, past, behind].map(Number);
  const hour = half === undefined ? written : (written % 12) + (/p/i.test(half) ? 12 : 0);
  const isOfTwelve = half === undefined || (written >= 1 && written <= 12);
  const isDate = Number.isInteger(month) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const isMidnight = hour === 24 && !minute && !second && !Number(fraction);
  const isClock = (hour < 24 || isMidnight) && minute < 60 && second <= 60;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const isZone = Number(hours) < 24 && Number(minutes) < 60;
  if (!(isDate && isOfTwelve && isClock && isZone)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), month - 1, day);
  if (date.getUTCDate() !== day) return undefined;
  const milliseconds = date.setUTCHours(hour, minute, second) - offset;
  const moment = BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  return BigInt.asIntN(64, moment) === moment ? moment : undefined;
}
