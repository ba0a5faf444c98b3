import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DURATION_PATTERN,
  type DurationProblem,
  nanosecondsText,
  parseDuration,
  timeText,
} from '../../src/values/index.js';
import { anyText } from '../any-text.js';
import { runs } from '../long.js';

test.each([
  ['1h 30min', 5_400_000],
  ['1h30min', 5_400_000],
  [' 2 d ', 172_800_000],
  ['1d 2h 3min 4s 5ms', 93_784_005],
  ['0.1s', 100],
  ['1.005s', 1_005],
  ['0.5ms', 0.5],
  ['0h 5min', 300_000],
  ['0001\tmin', 60_000],
  ['3649d 23h 59min 59s 999ms', 315_359_999_999],
])('%j is %d ms', (text, ms) => {
  expect(parseDuration(text)).toEqual({ ms });
});

const shape = 'use numbers with units from large to small, such as "1h 30min"';
const units = 'expected one of "d", "h", "min", "s" or "ms"';

test.each([
  ['', 'the duration is empty', shape, ''],
  ['  ', 'the duration is empty', shape, '  '],
  ['90', '"90" has no unit', 'write "90min" or "90s"', '90'],
  ['1h 30', '"30" has no unit', 'write "1h 30min"', '30'],
  ['1 2h', '"1" has no unit', units, '1'],
  ['h', 'expected a number, found "h"', shape, 'h'],
  ['1h min', 'expected a number, found "min"', shape, 'min'],
  ['-5s', 'expected a number, found "-"', shape, '-'],
  ['1h, 5min', 'expected a number, found ","', 'write "1h 5min"', ','],
  ['.5h', 'expected a number, found "."', shape, '.'],
  ['1.h', 'expected a unit, found "."', units, '.'],
  ['1,5h', 'expected a unit, found ","', 'write "1.5h"', ','],
  ['PT1H30M', 'expected a number, found "PT"', 'write "1h 30min"', 'PT'],
  ['1 hour and 5 m', 'unknown unit "hour"', 'write "h"', 'hour'],
  ['5 😀', 'expected a unit, found "😀"', units, '😀'],
  ['30m', 'unknown unit "m"', 'write "min"', 'm'],
  ['2 hours 5min', 'unknown unit "hours"', 'write "h"', 'hours'],
  ['2H', 'unknown unit "H"', 'write "2h"', 'H'],
  ['3 fortnights', 'unknown unit "fortnights"', units, 'fortnights'],
  ['1constructor', 'unknown unit "constructor"', units, 'constructor'],
  ['1h 2h', 'unit "h" appears twice', shape, 'h', 4],
  ['5s 1min', 'unit "min" after "s"', shape, 'min'],
  [' 0s ', '"0s" is zero', 'the duration must be more than zero', '0s'],
  ['0.000min 0s', '"0.000min 0s" is zero', 'the duration must be more than zero', '0.000min 0s'],
  ['3650d', '"3650d" is ten years or more', 'the duration must be less than ten years', '3650d'],
  [
    '3649d 24h',
    '"3649d 24h" is ten years or more',
    'the duration must be less than ten years',
    '3649d 24h',
  ],
])('%j: %s', (text, problem, help, marked, from = 0) => {
  const start = text.indexOf(marked, from);
  const span = { start, end: start + marked.length };
  expect(parseDuration(text)).toMatchObject({ problem, help, span });
});

test.each([
  ['30m', '30min', true],
  ['2 hours 5m', '2h 5min', true],
  ['2H', '2h', false],
  ['1M', '1min', false],
  ['1h 30 minutes', '1h 30min', true],
  ['1 hour and 30 minutes', '1h 30min', false],
  ['P1DT2H', '1d 2h', false],
  ['1.5.2h', undefined, undefined],
])('%j means %j', (text, instead, certain) => {
  const problem = parseDuration(text) as DurationProblem;
  expect(problem).toHaveProperty('problem');
  expect([problem.instead, problem.certain]).toEqual([instead, certain]);
});

test.each([
  ['01:30:00', '"1h 30min"'],
  ['00:05', '"5min"'],
  [' 100:00:01 ', '"100h 1s"'],
])('%j is a time of day: %s', (text, meant) => {
  const start = text.length - text.trimStart().length;
  expect(parseDuration(text)).toEqual({
    problem: `"${text.trim()}" is a time of day, not a duration`,
    help: `write ${meant}`,
    span: { start, end: start + text.trim().length },
    instead: meant.slice(1, -1),
    certain: false,
  });
});

test('the sum of the parts is exact', () => {
  const sizes = [86_400_000, 3_600_000, 60_000, 1_000, 1];
  const part = fc.option(fc.nat(300), { nil: undefined });
  fc.assert(
    fc.property(
      fc.tuple(part, part, part, part, part),
      fc.stringMatching(/^[ \t]*$/),
      (n, space) => {
        const names = ['d', 'h', 'min', 's', 'ms'];
        const parts = n.flatMap((count, at) =>
          count === undefined ? [] : [`${count}${space}${names[at]}`],
        );
        const ms = n.reduce<number>(
          (sum, count, at) => sum + (count ?? 0) * (sizes[at] as number),
          0,
        );
        const result = parseDuration(parts.join(space));
        if (ms > 0) expect(result).toEqual({ ms });
        else expect(result).toHaveProperty('problem');
      },
    ),
  );
});

test('any text gives a duration within bounds or a problem within the text', () => {
  const pieces = fc.constantFrom(
    '1',
    '0',
    '.',
    ' ',
    'd',
    'h',
    'min',
    'm',
    's',
    'ms',
    '-',
    '9999',
    'é',
    '\n',
  );
  const text = fc.oneof(
    anyText(),
    fc.array(pieces).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (input) => {
      const result = parseDuration(input);
      if ('ms' in result) {
        expect(result.ms).toBeGreaterThan(0);
        expect(result.ms).toBeLessThan(315_360_000_000);
      } else {
        expect(result.span.start).toBeGreaterThanOrEqual(0);
        expect(result.span.start).toBeLessThanOrEqual(result.span.end);
        expect(result.span.end).toBeLessThanOrEqual(input.length);
        if (input.trim() !== '') expect(result.span.start).toBeLessThan(result.span.end);
      }
    }),
    { numRuns: runs(2_000) },
  );
}, 300_000);

test('the pattern for editors takes what is a duration, but for its size', () => {
  const pattern = new RegExp(DURATION_PATTERN, 'u');
  const piece = fc.constantFrom('1', '2.5', '.', ' ', 'd', 'h', 'min', 'm', 's', 'ms', 'x');
  const durations = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const right = ['2h 30min', '1d2h3min4s5ms', ' 1.5 h ', '90min'];
  const wrong = ['', ' ', '2h 30m', '30min 2h', '1', 'h', '1h 1h', '-1h'];
  expect(right.filter((text) => !pattern.test(text))).toEqual([]);
  expect(wrong.filter((text) => pattern.test(text))).toEqual([]);
  fc.assert(
    fc.property(durations, (text) => {
      const parsed = parseDuration(text);
      const tooMuch = 'problem' in parsed && /no time|ten years/.test(parsed.problem);
      expect(pattern.test(text)).toBe('ms' in parsed || tooMuch);
    }),
    { numRuns: runs(2_000) },
  );
}, 300_000);

test.each([
  [0n, '0ns'],
  [-999n, '-999ns'],
  [1_500n, '1.5us'],
  [31_560_000n, '31.56ms'],
  [86_400_000_000_000n, '1d'],
  [259_201_791_534_001n, '3d 1s 791.534001ms'],
  [1_700_000_000_123_456_789n - 1_000_000_000_123_456_789n, '8101d 20h 26min 40s'],
])('%d nanoseconds are %s', (nanoseconds, text) => {
  expect(nanosecondsText(nanoseconds)).toBe(text);
});

test.each([
  [5_000_000_000n, '5s'],
  [1_700_000_000_000_000_000n, '2023-11-14T22:13:20.000Z'],
  [1_700_000_000_123_456_000n, '2023-11-14T22:13:20.123456Z'],
  [1_700_000_000_000_000_001n, '2023-11-14T22:13:20.000000001Z'],
])('the time %d is %s', (nanoseconds, text) => {
  expect(timeText(nanoseconds)).toBe(text);
});
