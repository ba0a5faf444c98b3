/* Times as people and programs write them, in nanoseconds since 1970. */

const NUMBER = /^(-?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
const DATE =
  /^(?:(\d{4})[-/](\d\d)[-/](\d\d)[T ]?)?(?:(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?)? ?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?$/;
/** `Nov  3 04:05:06`, which has no year. */
const SYSLOG = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?$/;
/** `03/Nov/2026:04:05:06 +0100`, as web servers write it. */
const ACCESS = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})$/;

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** Below each, a count since 1970 has so many nanoseconds: seconds until the year 5138. */
const UNITS = [
  [1e11, 9],
  [1e14, 6],
  [1e17, 3],
  [Number.POSITIVE_INFINITY, 0],
] as const;

/**
 * The nanoseconds since 1970 of a time: ISO 8601 and its usual variations, a count since 1970 of
 * seconds, milliseconds, microseconds or nanoseconds, told by its size, and the times of syslog
 * and of web servers. A time without a zone is UTC; without a year it is in 1970, and without a
 * date on the first day of that.
 */
export function parseTime(written: string): bigint | undefined {
  const number = NUMBER.exec(written);
  if (number !== null) return countOf(number);
  const date = DATE.exec(written);
  if (date !== null && (date[1] ?? date[4]) !== undefined) {
    const [, year = '1970', month = '01', day = '01', hour, minute, second, fraction, zone] = date;
    return momentOf([year, month, day, hour, minute, second], fraction, zone);
  }
  const [, month, day, hour, minute, second, fraction] = SYSLOG.exec(written) ?? [];
  if (month !== undefined) {
    return momentOf(['1970', monthOf(month), day, hour, minute, second], fraction);
  }
  const access = ACCESS.exec(written);
  if (access === null) return undefined;
  const [, on, name = '', year, ...rest] = access;
  return momentOf([year, monthOf(name), on, ...rest.slice(0, 3)], undefined, rest[3]);
}

function countOf([, sign, whole = '', fraction = '', exponent = '0']: RegExpExecArray): bigint {
  const size = Number(`${whole}.${fraction}e${exponent}`);
  const shift = UNITS.find(([below]) => size < below)?.[1] ?? 0;
  const digits = BigInt(whole + fraction);
  const places = shift + Number(exponent) - fraction.length;
  const value = places >= 0 ? digits * 10n ** BigInt(places) : digits / 10n ** BigInt(-places);
  return sign === '-' ? -value : value;
}

function monthOf(name: string): string {
  const at = MONTHS.indexOf(name);
  return at % 3 === 0 ? String(at / 3 + 1) : '0';
}

function momentOf(
  parts: readonly (string | undefined)[],
  fraction = '',
  zone = 'Z',
): bigint | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    Number(part ?? 0),
  );
  const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 24 && minute < 60;
  if (!isTime || second > 60) return undefined;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const milliseconds = Date.UTC(year, month - 1, day, hour, minute, second) - offset;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
