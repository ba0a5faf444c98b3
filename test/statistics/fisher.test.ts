import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sum } from '../../src/basics/index.js';
import { fisherExact, minFisherExact } from '../../src/statistics/index.js';
import { subsets } from './subsets.js';

test('published tables have their published chances', () => {
  // Fisher 1935, The Design of Experiments: the tea that the lady tasted.
  const [tea, other] = [
    { count: 3, of: 4 },
    { count: 1, of: 4 },
  ];
  expect(fisherExact(tea, other, 'greater')).toBeCloseTo(17 / 70, 12);
  expect(fisherExact(tea, other)).toBeCloseTo(34 / 70, 12);
  // Fisher 1962: twins of convicts; the value of R's fisher.test.
  const twins = fisherExact({ count: 10, of: 13 }, { count: 2, of: 17 });
  expect(twins).toBeCloseTo(0.000_536_724_119_143_44, 14);
});

test('a table of thousands keeps its digits', () => {
  const p = fisherExact({ count: 300, of: 1_000 }, { count: 400, of: 1_000 });
  // By scipy.stats.fisher_exact.
  expect(p / 3.371_699_707_4e-6).toBeCloseTo(1, 9);
});

test('no trials, or the same in all of them, show nothing', () => {
  expect(fisherExact({ count: 0, of: 0 }, { count: 3, of: 5 })).toBe(1);
  expect(fisherExact({ count: 0, of: 9 }, { count: 0, of: 5 }, 'greater')).toBe(1);
  expect(fisherExact({ count: 9, of: 9 }, { count: 5, of: 5 })).toBe(1);
});

test('the chance is that among all divisions of the trials', () => {
  const trials = fc.array(fc.boolean(), { maxLength: 6 });
  fc.assert(
    fc.property(trials, trials, (one, other) => {
      const shares = [one, other].map((all) => ({
        count: all.filter(Boolean).length,
        of: all.length,
      }));
      const [first = { count: 0, of: 0 }, second = first] = shares;
      const counts = subsets([...one, ...other].map(Number), one.length).map(sum);
      const ways = (count: number) => counts.filter((each) => each === count).length;
      const own = ways(first.count);
      const both = counts.filter((count) => ways(count) <= own).length / counts.length;
      const greater = counts.filter((count) => count >= first.count).length / counts.length;
      expect(fisherExact(first, second)).toBeCloseTo(both, 10);
      const rarest = Math.min(...counts.map(ways));
      const least = counts.filter((count) => ways(count) === rarest).length / counts.length;
      expect(minFisherExact(first, second)).toBeCloseTo(least, 10);
      expect(fisherExact(first, second, 'greater')).toBeCloseTo(greater, 10);
    }),
  );
});
