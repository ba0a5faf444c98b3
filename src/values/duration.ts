import {
  type Advice,
  quote,
  suggest,
  suggestedFix,
  type Violation,
  writing,
} from '../diagnostics/index.js';
import type { EmbeddedSource, Span } from '../source/index.js';

/** The units in milliseconds, largest first. */
const UNITS: Readonly<Record<string, bigint>> = {
  d: 86_400_000n,
  h: 3_600_000n,
  min: 60_000n,
  s: 1_000n,
  ms: 1n,
};

const NAMES = Object.keys(UNITS);

/** A regular expression for durations, for use in JSON Schema. Does not check the limits of zero and ten years. */
export const DURATION_PATTERN = `^\\s*(?=\\d)${NAMES.map((unit) => `(\\d+(\\.\\d+)?\\s*${unit}\\s*)?`).join('')}$`;

/**
 * Other notations for the units. `m` means minutes, because there is no unit for months. Uppercase `M` is ambiguous.
 */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  d: ['day', 'days'],
  h: ['hour', 'hours', 'hr', 'hrs'],
  min: ['m', 'mins', 'minute', 'minutes'],
  s: ['sec', 'secs', 'second', 'seconds'],
  ms: ['msec', 'millis', 'millisecond', 'milliseconds'],
};

/** Returns the unit for a unit name or alias in any case, or undefined for an unknown name. */
export function unitNamed(name: string): string | undefined {
  const lower = name.toLowerCase();
  return NAMES.includes(lower) ? lower : otherNamed(lower);
}

function otherNamed(name: string): string | undefined {
  return NAMES.find((unit) => OTHER_NAMES[unit]?.includes(name));
}

/** The exclusive upper limit of a duration: ten years of 365 days. */
const TEN_YEARS = 3_650n * 86_400_000n;

const SHAPE = 'use numbers with units from large to small, such as "1h 30min"';

/** A duration in milliseconds, not necessarily whole. */
export interface Duration {
  readonly ms: number;
}

/** A mistake in a duration, with its span in the text. */
export interface DurationProblem {
  readonly problem: string;
  readonly help?: string | undefined;
  readonly span: Span;
  /** The corrected text, if known. */
  readonly instead?: string | undefined;
  /** True if the correction is certain. */
  readonly certain?: boolean;
}

const PART = /\s*(?:(\d+(?:\.\d+)?)\s*(?:(\p{L}+)\s*)?)?/uy;

/** The lower limit of a duration: zero, or more than zero. */
export type MinimumDuration = 'zero' | 'more';

/**
 * Parses a duration: one or more `NUMBER UNIT` terms with the units `d h min s ms`, largest first and each at most
 * once. White space and fractions are optional. The duration must be less than ten years, and more than zero unless
 * zero is allowed. Computes the sum exactly, then rounds to a double.
 */
export function parseDuration(
  text: string,
  least: MinimumDuration = 'more',
): Duration | DurationProblem {
  const read = readDuration(text, least);
  if (!('problem' in read)) return read;
  const instead = correctedText(text);
  if (instead === undefined) return read;
  // If only a unit is wrong, the help names the correct unit.
  const ofUnit = otherNamed(text.slice(read.span.start, read.span.end)) !== undefined;
  const help = ofUnit ? read.help : `write ${quote(instead)}`;
  return { ...read, help, instead, certain: ofUnit && !/,|and/i.test(text) };
}

/** Corrects unit names, commas, "and", times of day and ISO 8601 durations. */
function correctedText(text: string): string | undefined {
  const iso = ISO.exec(text.trim());
  const parts = iso
    ? iso.slice(1).flatMap((number, at) => (number ? [`${number}${NAMES[at]}`] : []))
    : [...text.replace(/(\d),(?=\d)/g, '$1.').matchAll(LOOSE_PARTS)].map(
        ([, number, name = '', other]) =>
          other === undefined ? `${number}${unitNamed(name) ?? name}` : other,
      );
  const correctedDuration = clockTime(text) ?? parts.join(' ');
  return 'problem' in readDuration(correctedDuration) ? undefined : correctedDuration;
}

/** Matches an ISO 8601 duration, such as `PT1H30M` or `P1DT2H`. */
const ISO = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;

/** Matches a number and a unit with a following separator, or any other character. */
const LOOSE_PARTS = /(\d+(?:\.\d+)?)\s*(\p{L}+)(?:\s*,?\s*and\b\s*|\s*,\s*|\s+)?|(\S)/giu;

function readDuration(text: string, least: MinimumDuration = 'more'): Duration | DurationProblem {
  const parts: (readonly [number: string, size: bigint])[] = [];
  let previous: string | undefined;
  PART.lastIndex = 0;
  do {
    const from = PART.lastIndex;
    const match = PART.exec(text) as RegExpExecArray;
    const [, number, unit] = match;
    if (number === undefined) return noNumber(text, from);
    if (unit === undefined) return noUnit(text, from, number, previous);
    const end = from + match[0].trimEnd().length;
    const span = { start: end - unit.length, end };
    const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (size === undefined) {
      return { problem: `unknown unit ${quote(unit)}`, help: unitHelp(unit), span };
    }
    if (previous !== undefined && NAMES.indexOf(unit) <= NAMES.indexOf(previous)) {
      return outOfOrder(unit, previous, span);
    }
    parts.push([number, size]);
    previous = unit;
  } while (PART.lastIndex < text.length);
  return inBounds(text, parts, least);
}

function noNumber(text: string, from: number): DurationProblem {
  if (text.trim() === '') {
    return { problem: 'the duration is empty', help: SHAPE, span: { start: 0, end: text.length } };
  }
  const start = text.length - text.slice(from).trimStart().length;
  const [token] = /^(?:\p{L}+|.)/su.exec(text.slice(start)) as RegExpExecArray;
  const span = { start, end: start + token.length };
  return { problem: `expected a number, found ${quote(token)}`, help: SHAPE, span };
}

function noUnit(
  text: string,
  from: number,
  number: string,
  previous: string | undefined,
): DurationProblem {
  if (clockTime(text) !== undefined) {
    const problem = `${quote(text.trim())} is a time of day, not a duration`;
    return { problem, span: trimmed(text) };
  }
  const start = text.indexOf(number, from);
  const remainingText = text.slice(start + number.length).trimStart();
  const smallerUnits = previous === 'h' ? ['min'] : previous === 'min' ? ['s'] : undefined;
  const units = smallerUnits ?? (previous === undefined ? ['min', 's'] : []);
  const written = units.map((unit) => quote(`${text.trimEnd()}${unit}`)).join(' or ');
  const help = remainingText === '' && written !== '' ? `write ${written}` : unitHelp('');
  if (remainingText === '' || /^\d/u.test(remainingText)) {
    const span = { start, end: start + number.length };
    const instead =
      remainingText === '' && units[0] !== undefined ? text.trim() + units[0] : undefined;
    return { problem: `${quote(number)} has no unit`, help, span, ...(instead && { instead }) };
  }
  const [character] = /^./su.exec(remainingText) as RegExpExecArray;
  const at = text.length - remainingText.length;
  const span = { start: at, end: at + character.length };
  return { problem: `expected a unit, found ${quote(character)}`, help, span };
}

function outOfOrder(unit: string, previous: string, span: Span): DurationProblem {
  const isRepeated = unit === previous;
  const problem = `unit ${quote(unit)} ${isRepeated ? 'appears twice' : `after ${quote(previous)}`}`;
  return { problem, help: SHAPE, span };
}

function unitHelp(unit: string): string | undefined {
  const unitName = otherNamed(unit.toLowerCase());
  return unitName === undefined ? suggest(unit, NAMES) : `write ${quote(unitName)}`;
}

function inBounds(
  text: string,
  parts: readonly (readonly [number: string, size: bigint])[],
  least: MinimumDuration,
): Duration | DurationProblem {
  const fractionOf = (number: string) => number.split('.')[1] ?? '';
  const digits = Math.max(...parts.map(([number]) => fractionOf(number).length));
  const total = parts.reduce((sum, [number, size]) => {
    const [whole] = number.split('.');
    return sum + BigInt(whole + fractionOf(number).padEnd(digits, '0')) * size;
  }, 0n);
  const written = quote(text.trim());
  const span = trimmed(text);
  if (total === 0n && least === 'more') {
    return { problem: `${written} is zero`, help: 'the duration must be more than zero', span };
  }
  if (total >= TEN_YEARS * 10n ** BigInt(digits)) {
    return {
      problem: `${written} is ten years or more`,
      help: 'the duration must be less than ten years',
      span,
    };
  }
  // Rounds to the nearest double.
  return { ms: Number(`${total}e-${digits}`) };
}

function trimmed(text: string): Span {
  return { start: text.length - text.trimStart().length, end: text.trimEnd().length };
}

/** Converts a time of day, `hh:mm` or `hh:mm:ss`, to a duration. Returns undefined for any other text. */
function clockTime(text: string): string | undefined {
  if (!text.includes(':')) return undefined;
  const match = /^\s*(\d{1,3}):([0-5]\d)(?::([0-5]\d))?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes, seconds = '0'] = match;
  const parts = [hours, minutes, seconds].map(Number);
  const written = parts.flatMap((part, at) => (part === 0 ? [] : [`${part}${CLOCK_UNITS[at]}`]));
  return written.length === 0 ? undefined : written.join(' ');
}

const CLOCK_UNITS = ['h', 'min', 's'];

/**
 * Returns advice for a value that is not a string: adds a unit to a number, and converts a time of day to a duration.
 */
export function durationHint(written: string): Advice {
  const units = /^[1-9]\d*$/.test(written) ? ['min', 's'] : ['h', 'min'];
  if (/^\d+(?:\.\d+)?$/.test(written) && Number(written) > 0) {
    const [first, second] = units.map((unit) => `"${written}${unit}"`);
    return { help: `write ${first} or ${second}, in quotes`, instead: first };
  }
  const clock = clockTime(written);
  if (clock !== undefined) return writing(`"${clock}"`);
  return { help: 'a duration goes in quotes, such as "1h 30min"' };
}

/** Formats milliseconds as a duration in objective syntax, such as `2h 30min`. Zero is `0ms`. */
export function durationText(ms: number): string {
  let remainingMs = ms;
  const parts: string[] = [];
  for (const [unit, size] of Object.entries(UNITS)) {
    const amount =
      unit === 'ms' ? Number(remainingMs.toPrecision(12)) : Math.floor(remainingMs / Number(size));
    if (amount > 0) parts.push(`${amount}${unit}`);
    remainingMs -= amount * Number(size);
  }
  return parts.join(' ') || '0ms';
}

/** Formats nanoseconds as a duration, such as `31.56ms`. */
export function nanosecondsText(nanoseconds: bigint | number): string {
  if (nanoseconds < 0) return `-${nanosecondsText(-nanoseconds)}`;
  if (nanoseconds < 1_000) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000) return `${Number(nanoseconds) / 1_000}us`;
  if (typeof nanoseconds === 'number') return durationText(nanoseconds / 1_000_000);
  // Converts seconds and the fraction separately, because a float represents each exactly.
  const fraction = nanoseconds % 1_000_000_000n;
  const parts = [nanoseconds - fraction, fraction].filter((part) => part > 0n);
  return parts.map((part) => durationText(Number(part) / 1_000_000)).join(' ');
}

/** The earliest time to format as a date (in 1973), in nanoseconds. */
const FIRST_DATE = 10n ** 17n;

/**
 * Formats a time in nanoseconds. A time before 1973 becomes a duration, and any other time becomes a date with 3, 6 or
 * 9 decimals as needed.
 */
export function timeText(nanoseconds: bigint): string {
  if (nanoseconds < FIRST_DATE) return nanosecondsText(nanoseconds);
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1_000);
  if (Number.isNaN(seconds.getTime())) return String(nanoseconds);
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, '0');
  return `${seconds.toISOString().slice(0, 19)}.${fraction.replace(/(?<=...)(?:000)+$/, '')}Z`;
}

/** Converts a duration to milliseconds. Returns undefined if the duration is invalid. */
export function toMs(text: string | undefined, least?: MinimumDuration): number | undefined {
  const parsed = text === undefined ? undefined : parseDuration(text, least);
  return parsed === undefined || 'problem' in parsed ? undefined : parsed.ms;
}

/**
 * Returns a violation for an invalid duration, with a fix that replaces the whole text. Returns undefined for a valid
 * duration.
 *
 * @param place returns the span of the text; called only for an invalid duration
 */
export function durationViolation(
  text: string | undefined,
  place: () => EmbeddedSource,
  least?: MinimumDuration,
): Violation | undefined {
  const parsed = text === undefined ? undefined : parseDuration(text, least);
  if (parsed === undefined || !('problem' in parsed)) return undefined;
  const { problem: message, help, instead, certain } = parsed;
  const source = place();
  const span = source.toFile(parsed.span);
  if (instead === undefined) return { message, help, span };
  const whole = source.toFile({ start: 0, end: source.text.length });
  const fix = suggestedFix(whole, instead, `write ${quote(instead)}`);
  return { message, help, span, fix: { ...fix, kind: certain ? 'safe' : 'suggested' } };
}
