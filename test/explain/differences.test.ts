import { expect, test } from 'vitest';
import {
  findDifferences,
  type MeasuredFeature,
  SIGNIFICANCE_LEVEL,
} from '../../src/explain/index.js';
import { randomFrom } from './planted.js';

const event = (name: string) => ({ probe: 'P', name, isEnd: false });
const count = (name: string, values: readonly number[]): MeasuredFeature => ({
  feature: { kind: 'count', event: event(name) },
  values,
});
const latency = (from: string, to: string, values: readonly number[]): MeasuredFeature => ({
  feature: {
    ...{ kind: 'latency', tie: 'timeline', statistic: 'mean' },
    ...{ from: event(from), to: event(to) },
  },
  values,
});

const failed = Array.from({ length: 12 }, (_, n) => n < 5);

test('a feature that separates all sessions comes first, with its medians, effect and corrected p', () => {
  const random = randomFrom(3);
  const noise = Array.from({ length: 4 }, (_, n) =>
    count(
      `noise ${n}`,
      failed.map(() => random()),
    ),
  );
  const { differences, compared } = findDifferences(
    [
      ...noise,
      count(
        'constant',
        failed.map(() => 3),
      ),
      count(
        'LATE',
        failed.map((one, n) => n + (one ? 100 : 0)),
      ),
    ],
    failed,
  );
  expect(compared).toBe(5);
  expect(differences[0]).toEqual({
    feature: { kind: 'count', event: event('LATE') },
    ...{ failing: 102, passing: 8, failingCount: 5, passingCount: 7 },
    ...{ failingRange: [100, 104], passingRange: [5, 11], delta: 1 },
    // Two of the 792 ways to choose 5 sessions of 12 are as uneven; five features were compared.
    p: expect.closeTo(2 / 792, 12),
    corrected: expect.closeTo((5 * 2) / 792, 12),
  });
});

test('what follows from a difference is left out', () => {
  const separating = failed.map((one, n) => n + (one ? 100 : 0));
  const { differences } = findDifferences(
    [
      latency(
        'A',
        'C',
        separating.map((one) => one + 50),
      ),
      latency('A', 'B', separating),
      latency('D', 'E', separating),
    ],
    failed,
  );
  expect(differences.map(({ feature }) => feature)).toMatchObject([
    { from: { name: 'A' }, to: { name: 'B' } },
    { from: { name: 'D' }, to: { name: 'E' } },
  ]);
});

test('sessions in which a feature has no value are left out of its comparison, which lessens its effect', () => {
  const values = failed.map((one, n) => (n > 0 && n < 5 ? Number.NaN : one ? 9 : n));
  const full = failed.map((one, n) => (n === 11 ? 20 : one ? 19 : n));
  const { differences } = findDifferences([latency('A', 'B', values), count('C', full)], failed);
  expect(differences.map(({ failingCount, feature }) => [feature.kind, failingCount])).toEqual([
    ['count', 5],
    ['latency', 1],
  ]);
});

test('where nothing differs but by chance, few comparisons are significant', () => {
  const random = randomFrom(5);
  let wrong = 0;
  for (let round = 0; round < 100; round += 1) {
    const features = Array.from({ length: 20 }, (_, n) =>
      count(
        `${n}`,
        failed.map(() => Math.floor(random() * 6)),
      ),
    );
    const [first] = findDifferences(features, failed).differences;
    if (first !== undefined && first.corrected <= SIGNIFICANCE_LEVEL) wrong += 1;
  }
  expect(wrong / 100).toBeLessThanOrEqual(SIGNIFICANCE_LEVEL);
});

test('of two sessions alone the greatest changes come first, and nothing is significant', () => {
  const { differences, least } = findDifferences(
    [count('A', [9, 8]), latency('B', 'C', [900, 3])],
    [true, false],
  );
  expect(differences.map(({ feature }) => feature.kind)).toEqual(['latency', 'count']);
  expect(least).toBe(1);
});
