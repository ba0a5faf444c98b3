import { quote } from '../../diagnostics/index.js';

/** A time of day, `hh:mm` or `hh:mm:ss`, as a duration; undefined for any other text. */
export function clockTime(text: string): string | undefined {
  if (!text.includes(':')) return undefined;
  const match = /^\s*(\d{1,3}):([0-5]\d)(?::([0-5]\d))?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes, seconds = '0'] = match;
  const parts = [hours, minutes, seconds].map(Number);
  const written = parts.flatMap((part, at) => (part === 0 ? [] : [`${part}${CLOCK_UNITS[at]}`]));
  return written.length === 0 ? undefined : written.join(' ');
}

const CLOCK_UNITS = ['h', 'min', 's'];

/** What to write for a value that is no string: a number lacks its unit, a time of day is a span of time. */
export function durationHint(written: string): string {
  if (/^[1-9]\d*$/.test(written)) return `write "${written}min" or "${written}s", in quotes`;
  const clock = clockTime(written);
  return `write ${quote(clock ?? '1h 30min')}`;
}
