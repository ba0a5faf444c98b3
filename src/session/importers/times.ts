/* Parsing of times, as nanoseconds since 1970. */

export const SECOND = 1_000_000_000n;
export const DAY = 86_400n * SECOND;

const NUMBER = /^([+-]?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
const CLOCK = String.raw`(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,:](?<fraction>\d{1,9})\d*)?)?`;
const TWELVE = String.raw`(?<hour>\d{1,2}):${CLOCK} ?(?<half>[AP])\.?M\.?`;
const MONTH = '(?<month>[A-Z][a-z]{2})[a-z]*';
const WEEKDAY = '(?:[A-Z][a-z]{2,8},? +)?';
const ZONE = String.raw`(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)`;

const FORMS = [
  // ISO 8601 and common variations, including a date or a time of day alone.
  new RegExp(
    String.raw`^(?=\d)(?:(?<year>\d{4})[-/.](?<month>\d\d)[-/.](?<day>\d\d)[T ]?)?(?:(?<hour>\d\d):${CLOCK})? ?${ZONE}?$`,
  ),
  // `Nov  3 04:05:06`, without a year, with or without a weekday.
  new RegExp(String.raw`^${WEEKDAY}${MONTH} +(?<day>\d{1,2}) (?<hour>\d\d):${CLOCK}$`),
  // `11-23 04:05:06.789` from Android, also without a year.
  new RegExp(
    String.raw`^(?<month>\d\d)-(?<day>\d\d) (?<hour>\d\d):${CLOCK}(?: (?<zone>[+-]\d{4}))?$`,
  ),
  // `Mon Nov 23 04:05:06.789 2026` from C's ctime.
  new RegExp(
    String.raw`^${WEEKDAY}${MONTH} +(?<day>\d{1,2}) (?<hour>\d\d):${CLOCK}(?: [A-Z]{3,4})? (?<year>\d{4})$`,
  ),
  // `1:31:02 PM`, with or without a date, which may be in American style: `Nov 23, 2026`.
  new RegExp(String.raw`^(?:(?<year>\d{4})[-/](?<month>\d\d)[-/](?<day>\d\d),? )?${TWELVE}$`, 'i'),
  new RegExp(String.raw`^${MONTH} (?<day>\d{1,2}), (?<year>\d{4}),? ${TWELVE}$`, 'i'),
  // `23.11.2026 01:31:02` and `11/23/2026, 1:31:02 PM`, whose day comes first or second.
  new RegExp(
    String.raw`^(?<first>\d{1,2})(?<mark>[./-])(?<next>\d{1,2})\k<mark>(?:(?<year>\d{4})|(?<last>\d\d))(?:(?:,? |T)(?<hour>\d{1,2}):${CLOCK}(?: ?(?<half>[AP])\.?M\.?)? ?${ZONE}?)?$`,
    'i',
  ),
  // `03/Nov/2026:04:05:06 +0100` from web servers, `03 Nov 2026 04:05:06.789` from Redis, and mail's dates.
  new RegExp(
    String.raw`^${WEEKDAY}(?<day>\d{1,2})[/ -]${MONTH}[/ -](?<year>\d{4})[: ](?<hour>\d\d):${CLOCK}(?: ${ZONE})?$`,
  ),
  // `20261103T040506Z`, ISO 8601's basic format.
  new RegExp(
    String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:[.,](?<fraction>\d{1,9})\d*)?${ZONE}?$`,
  ),
  // `1103 04:05:06.789012` from klog and glog, with or without a year before it.
  /^(?<year>\d{4})?(?<month>\d\d)(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{1,9})$/,
];

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** The possible orders of the numbers in a date. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;

export type DateOrder = (typeof DATE_ORDERS)[number];

/** A calendar time, which may lack a zone, a year or a date. */
export interface CalendarTime {
  /**
   * The moment in nanoseconds since 1970. A missing zone counts as UTC, a missing year as 1970, and a missing date as
   * the first day of 1970.
   */
  readonly moment: bigint;
  readonly missing?: 'date' | 'year';
  /** True for a date without a time of day. */
  readonly isDate: boolean;
  readonly hasZone: boolean;
  /**
   * The order of a date's numbers. Absent if the order makes no difference, or if the date begins with a four-digit
   * year.
   */
  readonly order?: DateOrder | 'either';
  /** True for a two-digit year, which may come first. */
  readonly isOfTwoDigits?: boolean;
  /** True for a 29 February without a year. The moment is then in `LEAP_YEAR`. */
  readonly isLeapDay?: boolean;
}

type Part =
  | 'year'
  | 'shortYear'
  | 'month'
  | 'day'
  | 'dayOfYear'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'zone'
  | 'half'
  | 'first'
  | 'next'
  | 'last'
  | 'mark';

type Parts = { readonly [P in Part]?: string | undefined };

/**
 * Parses a calendar time: ISO 8601 and common variations, a twelve-hour clock, and the formats of syslog, klog,
 * Android, Redis, mail and web servers.
 *
 * @param order the order of numeric day and month, if known
 * @param layouts the only accepted layouts, if any
 * @returns undefined for any other text
 */
export function readCalendar(
  text: string,
  order: DateOrder | undefined,
  layouts: readonly RegExp[] = [],
): CalendarTime | undefined {
  for (const form of layouts.length > 0 ? layouts : FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return toCalendarTime(parts, order);
  }
  return undefined;
}

/** The leap year assigned to a 29 February without a year. */
export const LEAP_YEAR = 1972;

function toCalendarTime(parts: Parts, order: DateOrder | undefined): CalendarTime | undefined {
  const { hour, zone, last: third } = parts;
  const dateOrder = findDateOrder(parts, order);
  const datedParts = assignDateParts(parts, dateOrder);
  const isLeap =
    yearNumber(datedParts) === undefined &&
    Number(datedParts.day) === 29 &&
    monthNumber(datedParts) === 2;
  const moment = toMoment(isLeap ? { ...datedParts, year: String(LEAP_YEAR) } : datedParts);
  if (moment === undefined) return undefined;
  const hasDate = datedParts.day !== undefined || datedParts.dayOfYear !== undefined;
  const missing = !hasDate ? 'date' : yearNumber(datedParts) === undefined ? 'year' : undefined;
  return {
    moment,
    isDate: hour === undefined,
    hasZone: zone !== undefined,
    ...(missing && { missing }),
    ...(dateOrder && { order: dateOrder }),
    ...(third !== undefined && { isOfTwoDigits: true }),
    ...(isLeap && { isLeapDay: true }),
  };
}

/** Assigns a date's numbers to its parts according to an order. */
function assignDateParts(parts: Parts, order: CalendarTime['order']): Parts {
  const { first, next, last: third } = parts;
  if (first === undefined) return parts;
  if (order === 'ymd') return { ...parts, shortYear: first, month: next, day: third };
  const [day, month] = order === 'mdy' ? [next, first] : [first, next];
  return { ...parts, day, month, shortYear: third };
}

/**
 * Returns the given order of a date's numbers, or the order that follows from the numbers. With dots, the day comes
 * first.
 */
function findDateOrder(
  { first, next, last: third, mark }: Parts,
  order: DateOrder | undefined,
): CalendarTime['order'] | undefined {
  if (first === undefined) return undefined;
  if (order !== undefined) return order;
  if (Number(next) > 12) return 'mdy';
  if (third !== undefined && mark !== '.') return 'either';
  if (mark === '.' || Number(first) > 12) return 'dmy';
  return Number(next) > 12 ? 'mdy' : Number(next) === Number(first) ? undefined : 'either';
}

/** Returns the year. Two-digit years are from 1969 to 2068, as in strptime. */
function yearNumber({ year, shortYear }: Parts): number | undefined {
  if (shortYear !== undefined) return Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900);
  return year === undefined ? undefined : Number(year);
}

/** Converts a month's number or name to a number; returns NaN for any other text. */
function monthNumber({ month = '1' }: Parts): number {
  if (/^\d/.test(month)) return Number(month);
  const at = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) / 3;
  return Number.isInteger(at) && at >= 0 ? at + 1 : Number.NaN;
}

function toMoment(parts: Parts): bigint | undefined {
  const { fraction = '', zone = 'Z', half: meridiem, dayOfYear } = parts;
  const {
    day: dayText = '1',
    hour: hourText = '0',
    minute: minuteText = '0',
    second: secondText = '0',
  } = parts;
  const month = monthNumber(parts);
  const [day = 0, rawHour = 0, minute = 0, second = 0] = [
    dayText,
    hourText,
    minuteText,
    secondText,
  ].map(Number);
  const hour = meridiem === undefined ? rawHour : (rawHour % 12) + (/p/i.test(meridiem) ? 12 : 0);
  const isTwelveHour = meridiem === undefined || (rawHour >= 1 && rawHour <= 12);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const isMidnight = hour === 24 && !minute && !second && !Number(fraction);
  const isClock = (hour < 24 || isMidnight) && minute < 60 && second <= 60;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const isZone = Number(hours) < 24 && Number(minutes) < 60;
  if (!(isDate && isTwelveHour && isClock && isZone)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const date = new Date(0);
  date.setUTCFullYear(yearNumber(parts) ?? 1970, month - 1, day);
  if (date.getUTCDate() !== day) return undefined;
  if (dayOfYear !== undefined) date.setUTCDate(Number(dayOfYear));
  const milliseconds = date.setUTCHours(hour, minute, second) - offset;
  return fitIn64Bits(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

/** Returns a moment if it fits in 64 bits, otherwise undefined. */
export function fitIn64Bits(moment: bigint): bigint | undefined {
  return BigInt.asIntN(64, moment) === moment ? moment : undefined;
}

/** A numeric time, split into its parts. */
export type NumericTimeMatch = RegExpExecArray;

/** Parses a number; returns undefined for any other text. */
export function matchNumericTime(text: string): NumericTimeMatch | undefined {
  return NUMBER.exec(text) ?? undefined;
}

/**
 * Converts a count of units to nanoseconds, and truncates fractions.
 *
 * @returns undefined if the result does not fit in 64 bits
 */
export function toNanoseconds(count: NumericTimeMatch, unit: bigint): bigint | undefined {
  return fitIn64Bits(scaleCount(count, unit));
}

/** Converts a count of units to nanoseconds of any size. */
export function scaleCount(
  [, sign, integer = '', fraction = '', exponent = '0']: NumericTimeMatch,
  unit: bigint,
): bigint {
  const digits = BigInt(integer + fraction) * unit;
  const exponent10 = Number(exponent) - fraction.length;
  const value =
    exponent10 >= 0 ? digits * 10n ** BigInt(exponent10) : digits / 10n ** BigInt(-exponent10);
  return sign === '-' ? -value : value;
}

/** Units of numeric times. */
export const TIME_UNITS = ['ns', 'us', 'ms', 's', 'days'] as const;

export type TimeUnit = (typeof TIME_UNITS)[number];

/** The units in nanoseconds. */
export const UNIT_SIZES: Readonly<Record<TimeUnit, bigint>> = {
  ...{ ns: 1n, us: 1_000n, ms: 1_000_000n, s: SECOND, days: DAY },
};

/** The patterns of unit words at the end of a key. */
const UNIT_WORDS: Readonly<Record<TimeUnit, RegExp>> = {
  ns: /^(?:ns|nsecs?|nanos?|nanoseconds?)$/,
  us: /^(?:us|\u00b5s|\u03bcs|usecs?|micros?|microseconds?)$/,
  ms: /^(?:ms|msecs?|millis?|milliseconds?)$/,
  s: /^(?:s|secs?|seconds?)$/,
  days: /^days$/,
};

/** Returns the unit at the end of a key, such as `ts_us`, `timeMillis` or `Time (s)`. */
export function unitOfKey(key: string): TimeUnit | undefined {
  const words = key
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  const keyWords = words.filter((word) => word !== '');
  const lastWord = keyWords
    .at(-1)
    ?.replace(/^(?:time|timestamp|ts|epoch)(?=[num]s$|nanos?$|micros?$|millis?$)/, '');
  // A key `s` alone is unlikely to be a time in seconds.
  if (lastWord === undefined || (lastWord === 's' && keyWords.length === 1)) return undefined;
  return timeUnitNamed(lastWord);
}

/** Returns the unit for a lower-case word, such as `ms` or `seconds`. */
export function timeUnitNamed(word: string): TimeUnit | undefined {
  return TIME_UNITS.find((unit) => UNIT_WORDS[unit].test(word));
}

/** The units to try for counts since 1970. Excludes days. */
const SINCE_1970 = ['s', 'ms', 'us', 'ns'] as const;

const [YEAR_2000, YEAR_2100] = [2000, 2100].map((year) => BigInt(Date.UTC(year)) * UNIT_SIZES.ms);

/** True for a moment between 2000 and 2100. */
export function isPlausibleTime(moment: bigint): boolean {
  return moment >= (YEAR_2000 as bigint) && moment < (YEAR_2100 as bigint);
}

/** Returns the unit in which a count since 1970 is between 2000 and 2100; undefined if no unit fits. */
export function guessUnit(count: NumericTimeMatch): TimeUnit | undefined {
  return SINCE_1970.find((unit) => {
    const moment = toNanoseconds(count, UNIT_SIZES[unit]);
    return moment !== undefined && isPlausibleTime(moment);
  });
}

/**
 * Parses a time without context: a calendar time, or a count since 1970 whose unit follows from its size. A missing
 * zone counts as UTC, a missing year as 1970, and a missing date as the first day of 1970.
 */
export function parseTime(text: string): bigint | undefined {
  const count = matchNumericTime(text);
  if (count === undefined) return readCalendar(text, undefined)?.moment;
  return toNanoseconds(count, UNIT_SIZES[guessUnit(count) ?? 's']);
}

/** Converts a text with a number of microseconds to nanoseconds; returns undefined for any other text. */
export function parseMicroseconds(text: string): bigint | undefined {
  const count = matchNumericTime(text);
  return count && toNanoseconds(count, UNIT_SIZES.us);
}
