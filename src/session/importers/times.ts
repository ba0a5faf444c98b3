/* Times as people and programs write them, in nanoseconds since 1970. */

export const SECOND = 1_000_000_000n;
export const DAY = 86_400n * SECOND;

const NUMBER = /^([+-]?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
const CLOCK = String.raw`(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,:](?<fraction>\d{1,9})\d*)?)?`;
const TWELVE = String.raw`(?<hour>\d{1,2}):${CLOCK} ?(?<half>[AP])\.?M\.?`;
const MONTH = '(?<month>[A-Z][a-z]{2})[a-z]*';
const WEEKDAY = '(?:[A-Z][a-z]{2,8},? +)?';
const ZONE = String.raw`(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)`;

const FORMS = [
  // ISO 8601 and its usual variations, also a date or a time of day alone.
  new RegExp(
    String.raw`^(?=\d)(?:(?<year>\d{4})[-/.](?<month>\d\d)[-/.](?<day>\d\d)[T ]?)?(?:(?<hour>\d\d):${CLOCK})? ?${ZONE}?$`,
  ),
  // `Nov  3 04:05:06`, which has no year, with or without a day of the week.
  new RegExp(String.raw`^${WEEKDAY}${MONTH} +(?<day>\d{1,2}) (?<hour>\d\d):${CLOCK}$`),
  // `11-23 04:05:06.789`, also without a year, as Android writes it.
  new RegExp(
    String.raw`^(?<month>\d\d)-(?<day>\d\d) (?<hour>\d\d):${CLOCK}(?: (?<zone>[+-]\d{4}))?$`,
  ),
  // `Mon Nov 23 04:05:06.789 2026`, as ctime of C writes it.
  new RegExp(
    String.raw`^${WEEKDAY}${MONTH} +(?<day>\d{1,2}) (?<hour>\d\d):${CLOCK}(?: [A-Z]{3,4})? (?<year>\d{4})$`,
  ),
  // `1:31:02 PM` with or without a day, also in American style: `Nov 23, 2026`.
  new RegExp(String.raw`^(?:(?<year>\d{4})[-/](?<month>\d\d)[-/](?<day>\d\d),? )?${TWELVE}$`, 'i'),
  new RegExp(String.raw`^${MONTH} (?<day>\d{1,2}), (?<year>\d{4}),? ${TWELVE}$`, 'i'),
  // `23.11.2026 01:31:02` and `11/23/2026, 1:31:02 PM`, whose day comes first or second.
  new RegExp(
    String.raw`^(?<first>\d{1,2})(?<mark>[./-])(?<next>\d{1,2})\k<mark>(?:(?<year>\d{4})|(?<last>\d\d))(?:(?:,? |T)(?<hour>\d{1,2}):${CLOCK}(?: ?(?<half>[AP])\.?M\.?)? ?${ZONE}?)?$`,
    'i',
  ),
  // `03/Nov/2026:04:05:06 +0100`, as web servers write it, Redis's `03 Nov 2026 04:05:06.789`, and that of mail.
  new RegExp(
    String.raw`^${WEEKDAY}(?<day>\d{1,2})[/ -]${MONTH}[/ -](?<year>\d{4})[: ](?<hour>\d\d):${CLOCK}(?: ${ZONE})?$`,
  ),
  // `20261103T040506Z`, as ISO 8601 without its marks.
  new RegExp(
    String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:[.,](?<fraction>\d{1,9})\d*)?${ZONE}?$`,
  ),
  // `1103 04:05:06.789012`, with or without a year before it, as klog and glog write it.
  /^(?<year>\d{4})?(?<month>\d\d)(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{1,9})$/,
];

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** The order of the numbers in a date that does not begin with its year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;

export type DayOrder = (typeof DATE_ORDERS)[number];

/** A calendar time, as far as written. */
export interface CalendarTime {
  /** In UTC without a written zone, in 1970 without a year, and on its first day without a date. */
  readonly moment: bigint;
  readonly missing?: 'date' | 'year';
  /** True for a date without a time of day. */
  readonly isDate: boolean;
  readonly hasZone: boolean;
  /**
   * The order of a date's numbers, unless any order gives the same date or it begins with a year of four digits.
   */
  readonly order?: DayOrder | 'either';
  /** True for a year of two digits, which may come first. */
  readonly isOfTwoDigits?: boolean;
  /** True for a 29 February without a year: it is in `LEAP_YEAR`. */
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
 * Reads a calendar time: ISO 8601 and its usual variations, those of syslog, klog, Android, Redis, mail and web
 * servers, and a twelve-hour clock.
 *
 * @param order of day and month as numbers, if known
 * @param layouts the only ones accepted, if given
 * @returns undefined for any other text
 */
export function readCalendar(
  text: string,
  order: DayOrder | undefined,
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

function toCalendarTime(parts: Parts, order: DayOrder | undefined): CalendarTime | undefined {
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

/** Returns the parts of a date whose numbers are in that order. */
function assignDateParts(parts: Parts, order: CalendarTime['order']): Parts {
  const { first, next, last: third } = parts;
  if (first === undefined) return parts;
  if (order === 'ymd') return { ...parts, shortYear: first, month: next, day: third };
  const [day, month] = order === 'mdy' ? [next, first] : [first, next];
  return { ...parts, day, month, shortYear: third };
}

/** Returns the order of a date's numbers. With dots, the day always comes first. */
function findDateOrder(
  { first, next, last: third, mark }: Parts,
  order: DayOrder | undefined,
): CalendarTime['order'] | undefined {
  if (first === undefined) return undefined;
  if (order !== undefined) return order;
  if (Number(next) > 12) return 'mdy';
  if (third !== undefined && mark !== '.') return 'either';
  if (mark === '.' || Number(first) > 12) return 'dmy';
  return Number(next) > 12 ? 'mdy' : Number(next) === Number(first) ? undefined : 'either';
}

/** Returns the year; two digits mean 1969 to 2068, as in strptime. */
function yearNumber({ year, shortYear }: Parts): number | undefined {
  if (shortYear !== undefined) return Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900);
  return year === undefined ? undefined : Number(year);
}

/** Returns the number of a month, given as a number or a name; NaN for any other text. */
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
  return within64(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

/** Returns a moment, if 64 bits hold it. */
export function within64(moment: bigint): bigint | undefined {
  return BigInt.asIntN(64, moment) === moment ? moment : undefined;
}

/** A numeric time, in parts. */
export type WrittenCount = RegExpExecArray;

/** Reads a number; undefined for any other text. */
export function readCount(text: string): WrittenCount | undefined {
  return NUMBER.exec(text) ?? undefined;
}

/**
 * Converts a count of units to nanoseconds, without fractions.
 *
 * @returns undefined beyond 64 bits
 */
export function toNanoseconds(count: WrittenCount, unit: bigint): bigint | undefined {
  return within64(scaleCount(count, unit));
}

/** Converts a count of units to nanoseconds of any size. */
export function scaleCount(
  [, sign, integer = '', fraction = '', exponent = '0']: WrittenCount,
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

export type CountUnit = (typeof TIME_UNITS)[number];

/** The units in nanoseconds. */
export const UNIT_SIZES: Readonly<Record<CountUnit, bigint>> = {
  ...{ ns: 1n, us: 1_000n, ms: 1_000_000n, s: SECOND, days: DAY },
};

/** Words for units at the end of a key. */
const UNIT_WORDS: Readonly<Record<CountUnit, RegExp>> = {
  ns: /^(?:ns|nsecs?|nanos?|nanoseconds?)$/,
  us: /^(?:us|\u00b5s|\u03bcs|usecs?|micros?|microseconds?)$/,
  ms: /^(?:ms|msecs?|millis?|milliseconds?)$/,
  s: /^(?:s|secs?|seconds?)$/,
  days: /^days$/,
};

/** Returns the unit in the name of a key, such as `ts_us`, `timeMillis` or `Time (s)`. */
export function unitOfKey(key: string): CountUnit | undefined {
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
  return countUnit(lastWord);
}

/** Returns the unit of a word in lower case, such as `ms` or `seconds`. */
export function countUnit(word: string): CountUnit | undefined {
  return TIME_UNITS.find((unit) => UNIT_WORDS[unit].test(word));
}

/** The units of counts since 1970, without days. */
const SINCE_1970 = ['s', 'ms', 'us', 'ns'] as const;

const [YEAR_2000, YEAR_2100] = [2000, 2100].map((year) => BigInt(Date.UTC(year)) * UNIT_SIZES.ms);

/** True for a moment between 2000 and 2100. */
export function isPlausible(moment: bigint): boolean {
  return moment >= (YEAR_2000 as bigint) && moment < (YEAR_2100 as bigint);
}

/** Returns the unit in which a count since 1970 is between 2000 and 2100; undefined if there is none. */
export function guessUnit(count: WrittenCount): CountUnit | undefined {
  return SINCE_1970.find((unit) => {
    const moment = toNanoseconds(count, UNIT_SIZES[unit]);
    return moment !== undefined && isPlausible(moment);
  });
}

/**
 * Parses a time without context: a calendar time, or a count since 1970 whose size shows the unit. Without a zone
 * it is UTC, without a year in 1970, and without a date on its first day.
 */
export function parseTime(text: string): bigint | undefined {
  const count = readCount(text);
  if (count === undefined) return readCalendar(text, undefined)?.moment;
  return toNanoseconds(count, UNIT_SIZES[guessUnit(count) ?? 's']);
}

/** Converts microseconds, written as a number or a text, to nanoseconds. */
export function parseMicroseconds(text: string): bigint | undefined {
  const count = readCount(text);
  return count && toNanoseconds(count, UNIT_SIZES.us);
}
