import { expect, test } from 'vitest';
import { signTest } from '../../src/statistics/index.js';

test('the chance is that among all ways in which the pairs could differ', () => {
  for (let pairs = 0; pairs <= 10; pairs += 1) {
    const ways = Array.from(
      { length: 2 ** pairs },
      (_, way) => way.toString(2).replaceAll('0', '').length,
    );
    for (let more = 0; more <= pairs; more += 1) {
      const uneven = Math.abs(2 * more - pairs);
      const extreme = ways.filter((each) => Math.abs(2 * each - pairs) >= uneven);
      expect(signTest(more, pairs - more)).toBeCloseTo(extreme.length / ways.length, 12);
    }
  }
});

test('a thousand pairs keep their digits', () => {
  // By scipy.stats.binomtest(430, 1000).
  expect(signTest(430, 570) / 1.070_7e-5).toBeCloseTo(1, 3);
  expect(signTest(0, 2_000)).toBe(0);
});
