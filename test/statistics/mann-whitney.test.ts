import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sum } from '../../src/basics/index.js';
import { mannWhitney } from '../../src/statistics/index.js';
import { subsets } from './subsets.js';

test('a published sample has its published chance', () => {
  // Hollander and Wolfe 1973, permeability of a membrane; the values of R's wilcox.test.
  const late = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const early = [1.15, 0.88, 0.9, 0.74, 1.21];
  const { u, p, delta } = mannWhitney(late, early);
  expect(u).toBe(35);
  expect(p).toBeCloseTo(0.254_412_254_412_254, 12);
  expect(delta).toBeCloseTo(0.4, 12);
});

test('samples of one value show nothing', () => {
  expect(mannWhitney([1, 1, 1], [1, 1])).toEqual({ u: 3, p: 1, least: 1, delta: 0 });
});

test('infinite values take the last ranks', () => {
  const { p, delta } = mannWhitney([Infinity, Infinity, 7], [-Infinity, 5, 6]);
  expect(p).toBeCloseTo(0.1, 12);
  expect(delta).toBe(1);
});

test('the chance is that among all divisions of the values', () => {
  const values = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(values, values, (one, other) => {
      const pairs = one.flatMap((a) => other.map((b) => Math.sign(a - b)));
      const all = [...one, ...other];
      const rankOf = (value: number) =>
        sum(all.map((each) => (each < value ? 1 : Number(each === value) / 2)));
      const middle = (one.length * all.length) / 2;
      const away = (some: readonly number[]) => Math.abs(sum(some.map(rankOf)) - middle);
      const choices = subsets(all, one.length);
      const extreme = choices.filter((some) => away(some) >= away(one));
      const compared = mannWhitney(one, other);
      expect(compared.p).toBeCloseTo(extreme.length / choices.length, 10);
      const furthest = Math.max(...choices.map(away));
      const least = choices.filter((some) => away(some) === furthest);
      expect(compared.least).toBeCloseTo(least.length / choices.length, 10);
      expect(compared.delta).toBeCloseTo(sum(pairs) / pairs.length, 10);
    }),
  );
});

test('exchanged samples differ as much the other way', () => {
  const values = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [there, back] = [mannWhitney(one, other), mannWhitney(other, one)];
      expect(back.p).toBeCloseTo(there.p, 10);
      expect(back.delta).toBeCloseTo(-there.delta, 10);
    }),
  );
});

test('two odd values among a thousand are exact, however uneven the samples', () => {
  const { p } = mannWhitney([0, 0, ...Array(48).fill(1)], Array(1_000).fill(1));
  expect(p).toBeCloseTo((50 * 49) / (1_050 * 1_049), 12);
});

test('large samples have the chance that the normal distribution gives', () => {
  const one = Array.from({ length: 150 }, (_, at) => (at * 7) % 50);
  const other = Array.from({ length: 120 }, (_, at) => ((at * 11) % 50) + 4);
  // By scipy.stats.mannwhitneyu, method asymptotic.
  expect(mannWhitney(one, other).p).toBeCloseTo(0.031_188_393_142_404, 12);
  const apart = mannWhitney(
    one,
    one.map((value) => value + 100),
  );
  expect(apart.p / 1.068_675_683_797e-50).toBeCloseTo(1, 9);
  expect(apart.delta).toBe(-1);
});

test('the normal distribution gives the exact chance, or a little more', () => {
  const [m, n] = [60, 60];
  const ways = waysOfU(m, n);
  for (const shift of [0, 6, 12]) {
    const one = Array.from({ length: m }, (_, at) => 2 * at);
    const other = Array.from({ length: n }, (_, at) => 2 * (at + shift) + 1);
    const { u, p } = mannWhitney(one, other);
    const exact = (2 * sum(ways.slice(0, u + 1))) / sum(ways);
    expect(p / Math.min(1, exact)).toBeGreaterThan(0.97);
    expect(p / Math.min(1, exact)).toBeLessThan(1.25);
  }
});

/** How many orders of two samples have each value of U (Mann and Whitney 1947, without equal values). */
function waysOfU(m: number, n: number): readonly number[] {
  let last: number[][] = Array.from({ length: n + 1 }, () => [1]);
  for (let one = 1; one <= m; one += 1) {
    const next: number[][] = [[1]];
    for (let other = 1; other <= n; other += 1) {
      next.push(
        Array.from(
          { length: one * other + 1 },
          (_, u) => (last[other]?.[u - other] ?? 0) + (next[other - 1]?.[u] ?? 0),
        ),
      );
    }
    last = next;
  }
  return last[n] ?? [];
}
