import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { partitionPoint, sum } from '../../src/basics/index.js';

test('sums as many numbers as there are', () => {
  expect([sum([]), sum(new Set([1, 2.5])), sum(Array.from({ length: 300_000 }, () => 2))]).toEqual([
    0, 3.5, 600_000,
  ]);
});

test('finds where a condition ends, within the bounds', () => {
  const end = fc.integer({ min: -80, max: 180 });
  fc.assert(
    fc.property(fc.integer({ min: -50, max: 50 }), fc.nat(100), end, (low, count, until) => {
      const expected = Math.min(low + count, Math.max(low, until));
      expect(partitionPoint(low, low + count, (index) => index < until)).toBe(expected);
    }),
  );
});

test('asks no more than a logarithm of the indices', () => {
  let asked = 0;
  const found = partitionPoint(0, 1 << 20, (index) => {
    asked += 1;
    return index < 777_777;
  });
  expect([found, asked]).toEqual([777_777, 20]);
});
