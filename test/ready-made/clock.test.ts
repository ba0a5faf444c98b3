import { expect, test } from 'vitest';
import { clockOf, explainMismatch, parseFaketime } from '../../src/ready-made/clock/clock.js';

test.each([
  ['ahead', { seconds: 60 }, { offset: 60, rate: 1 }],
  ['behind', { seconds: 60 }, { offset: -60, rate: 1 }],
  ['behind', { seconds: 0 }, { offset: 0, rate: 1 }],
  ['drift', { rate: 1.5 }, { offset: 0, rate: 1.5 }],
])('%s by %j is a clock', (fault, params, clock) => {
  expect(clockOf(fault, params)).toEqual(clock);
});

test('a word that is no fault of a clock is refused', () => {
  expect(() => clockOf('late', {})).toThrow(
    new Error('unknown fault late, expected one of ahead, behind, drift'),
  );
});

test.each([
  ['+60 x1.0', { offset: 60, rate: 1 }],
  ['-3600 x1.0\n', { offset: -3600, rate: 1 }],
  ['-0 x1.0', { offset: 0, rate: 1 }],
  ['+0 x0.01', { offset: 0, rate: 0.01 }],
  ['@2026-01-01 00:00:00', undefined],
  ['', undefined],
])('the file %j is the clock %j', (text, clock) => {
  expect(parseFaketime(text)).toEqual(clock);
});

const NOW = 1_800_000_000_000;
/** A process that starts within 50 ms, and reads its clock twice. */
const reading = (offset: number, gained: number) => {
  const first = NOW + 30 + offset;
  return { first, second: first + gained, minMs: 99, maxMs: 101, before: NOW, after: NOW + 200 };
};

test('what a process reads must be as far ahead, and pass as fast, as the mutation says', () => {
  for (const [clock, read, reason] of [
    [{ offset: 60, rate: 1 }, reading(60_000, 100), undefined],
    [{ offset: -60, rate: 1 }, reading(-60_000, 100), undefined],
    [{ offset: 60, rate: 1 }, reading(0, 100), "a process's clock is 0.03 s ahead, expected 60 s"],
    [{ offset: 0, rate: 2 }, reading(0, 201), undefined],
    // The clocks cannot be read at one moment.
    [{ offset: 0, rate: 100 }, reading(0, 10_100), undefined],
    [{ offset: 0, rate: 0.01 }, reading(0, 1), undefined],
    [
      { offset: 0, rate: 2 },
      reading(0, 100),
      "a process's clock advances 100 ms in 99 ms, expected a rate of 2",
    ],
  ] as const) {
    expect([clock, explainMismatch(clock, read)]).toEqual([clock, reason]);
  }
});
