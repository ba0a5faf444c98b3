/**
 * A time zone: a function from a local time to moments, in nanoseconds since 1970. While clocks are set back, a local
 * time has two moments.
 */
export type Zone = (localTime: bigint) => readonly bigint[];

const MILLISECOND = 1_000_000n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Creates a time zone from an offset such as `+02:00`, `UTC`, or a name such as `Europe/Berlin`.
 *
 * @throws {RangeError} for any other text
 */
export function makeZone(name: string): Zone {
  const offsetAt = offsetFinder(name);
  return (localTime) => {
    const at = Number(localTime / MILLISECOND);
    const offsets = new Set([offsetAt(at - DAY), offsetAt(at + DAY)]);
    const matchingOffsets = [...offsets].filter((offset) => offsetAt(at - offset) === offset);
    // Clocks set forward skip this time, so use the offset before the change.
    const usedOffsets = matchingOffsets.length > 0 ? matchingOffsets : [offsetAt(at - DAY)];
    return usedOffsets
      .sort((a, b) => b - a)
      .map((offset) => localTime - BigInt(offset) * MILLISECOND);
  };
}

/** True if `makeZone` accepts the name. */
export function isZone(name: string): boolean {
  try {
    makeZone(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function from a moment to a zone's offset from UTC, both in milliseconds. */
function offsetFinder(name: string): (at: number) => number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(name) ?? [];
  if (hours !== undefined) {
    if (Number(hours) > 14 || Number(minutes) > 59)
      throw new RangeError(`${name} is not an offset`);
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
    return () => offset;
  }
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: name, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const cache = new Map<number, number>();
  return (at) => {
    // Offsets change only at full quarters of an hour.
    const quarterHour = Math.floor(at / (HOUR / 4)) * (HOUR / 4);
    const cached = cache.get(quarterHour);
    if (cached !== undefined) return cached;
    const parts = Object.fromEntries(
      format.formatToParts(quarterHour).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute) - quarterHour;
    cache.set(quarterHour, offset);
    return offset;
  };
}
