import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sum } from '../../src/basics/index.js';
import { signedRank } from '../../src/statistics/index.js';

test('a published sample has its published chance', () => {
  // Hollander and Wolfe 1973, the depression of nine patients; the value of R's wilcox.test.
  const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
  const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
  const { p, least, delta } = signedRank(before.map((one, at) => one - (after[at] ?? 0)));
  expect(p).toBeCloseTo(0.039_062_5, 12);
  expect(least).toBe(2 / 2 ** 9);
  expect(delta).toBeCloseTo(5 / 9, 12);
});

test('pairs that do not differ show nothing', () => {
  expect(signedRank([0, 0])).toEqual({ p: 1, least: 1, delta: 0 });
});

test('the chance is that among all signs', () => {
  const differences = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(differences, (all) => {
      const sizes = all.filter((one) => one !== 0).map(Math.abs);
      const ranks = sizes.map((one) =>
        sum(sizes.map((each) => (each < one ? 1 : Number(each === one) / 2))),
      );
      const away = (signs: readonly number[]) =>
        Math.abs(sum(ranks.map((rank, at) => (rank + 0.5) * (signs[at] ?? 0))));
      const ways = Array.from({ length: 2 ** sizes.length }, (_, way) =>
        away(sizes.map((_, at) => ((way >> at) % 2 === 0 ? 1 : -1))),
      );
      const own = away(all.filter((one) => one !== 0).map(Math.sign));
      const share = (least: number) => ways.filter((one) => one >= least).length / ways.length;
      const { p, least } = signedRank(all);
      expect(p).toBeCloseTo(share(own), 10);
      expect(least).toBeCloseTo(share(Math.max(...ways)), 10);
    }),
  );
});

test('many pairs have the chance that the normal distribution gives', () => {
  const differences = Array.from({ length: 150 }, (_, at) => ((at * 7) % 50) - 18);
  // By scipy.stats.wilcoxon, method approx, with its correction for continuity.
  expect(signedRank(differences).p / 1.389_565_959_68e-6).toBeCloseTo(1, 9);
});
