import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Group, Row } from '../../../src/runner/plan/covering-array.js';
import { coveringArray } from '../../../src/runner/plan/covering-array.js';
import { seed } from './spaces.js';

const groups: fc.Arbitrary<readonly Group[]> = fc.array(
  fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

function rowsOf(some: readonly Group[], most: number, from: bigint): readonly Row[] {
  const array = coveringArray(some, most, from, 0);
  const rows: Row[] = [];
  for (let row = array(0); row !== undefined; row = array(rows.length)) rows.push(row);
  return rows;
}

/** Every pair that a row could hold, and those that it does, written down. */
function pairsOf(row: Row): readonly string[] {
  const values = row.flatMap(({ group, levels }) => [
    `${group}`,
    ...levels.map((level, factor) => `${group}.${factor}=${level}`),
  ]);
  return values.flatMap((one) => values.map((other) => `${one} ${other}`));
}

function allPairs(some: readonly Group[], most: number): readonly string[] {
  const values = some.flatMap((group, at) => [
    { group: at, factor: -1, text: `${at}` },
    ...group.flatMap((levels, factor) =>
      Array.from({ length: levels }, (_, level) => ({
        group: at,
        factor,
        text: `${at}.${factor}=${level}`,
      })),
    ),
  ]);
  return values.flatMap((one) =>
    values
      .filter((other) =>
        one.group === other.group ? one.factor !== other.factor || one === other : most > 1,
      )
      .map((other) => `${one.text} ${other.text}`),
  );
}

test('covers every pair that a row may hold', () => {
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 6 }), seed, (some, wanted, from) => {
      const most = Math.min(wanted, some.length);
      const rows = rowsOf(some, most, from);
      const covered = new Set(rows.flatMap(pairsOf));
      expect(allPairs(some, most).filter((pair) => !covered.has(pair))).toEqual([]);
      for (const row of rows) {
        expect(row.length).toBeLessThanOrEqual(most);
        expect(new Set(row.map(({ group }) => group)).size).toBe(row.length);
      }
    }),
    { numRuns: 60 },
  );
});

test('needs few rows: each adds a pair, and ten factors of three levels take under 24', () => {
  const ten = [Array.from({ length: 10 }, () => 3)];
  for (let from = 0n; from < 5n; from += 1n) {
    const { length } = rowsOf(ten, 1, from);
    expect(length).toBeGreaterThanOrEqual(9);
    expect(length).toBeLessThan(24);
  }
});

test('has most pairs in its first rows', () => {
  const some = [Array.from({ length: 8 }, () => 4)];
  const rows = rowsOf(some, 1, 1n);
  const all = allPairs(some, 1).length;
  const half = new Set(rows.slice(0, Math.ceil(rows.length / 2)).flatMap(pairsOf));
  expect(half.size / all).toBeGreaterThan(0.75);
});

test('two groups of which one has no factors, one at a time', () => {
  expect(
    rowsOf([[], [2]], 1, 1n).map((row) => row.map(({ group, levels }) => [group, levels])),
  ).toEqual(expect.arrayContaining([[[0, []]], [[1, [0]]], [[1, [1]]]]));
});
