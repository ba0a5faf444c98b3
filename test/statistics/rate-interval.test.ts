import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateInterval } from '../../src/statistics/index.js';

test('a rate that never varied has one end', () => {
  expect(rateInterval(0, 3)[0]).toBe(0);
  expect(rateInterval(3, 3)[1]).toBe(1);
  expect(rateInterval(0, 3)[1]).toBeCloseTo(0.5615, 4);
});

test('each end lies 1.96 of its own deviations from the rate', () => {
  const counts = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 }));
  fc.assert(
    fc.property(counts, ([failed, passed]) => {
      const tried = failed + passed;
      const ends = rateInterval(failed, tried);
      const away = ends.map((end) => (failed / tried - end) / Math.sqrt((end * (1 - end)) / tried));
      expect(away[0]).toBeCloseTo(1.959_964, 6);
      expect(away[1]).toBeCloseTo(-1.959_964, 6);
    }),
  );
});
