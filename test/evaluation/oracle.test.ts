import { expect, test } from 'vitest';
import { isLong } from '../long.js';
import { differences, orderDifferences, randomCase } from './compare.js';
import type { Dialect } from './random.js';

const CASES: readonly (readonly [string, Dialect, number])[] = [
  ['of the core', { isWhole: false }, 40],
  ['bindings of the whole language', { isWhole: true, isCounted: true }, 80],
  ['measures and groups of the whole language', { isWhole: true }, 80],
];

test.each(CASES)(
  'the engine agrees with the oracle, by every method: %s',
  { timeout: 1_200_000 },
  (_, dialect, few) => {
    const cases = isLong ? 20_000 : few;
    const wrong: { seed: number; found: readonly string[] }[] = [];
    let compared = 0;
    for (let seed = 1; compared < cases && wrong.length < 5; seed++) {
      const found = differences(randomCase(seed, dialect));
      if (found === undefined) continue;
      compared++;
      if (found.length > 0) wrong.push({ seed, found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(cases);
  },
);

test.each(['time', 'auto'] as const)(
  'the engine agrees with the oracle in the order %s',
  { timeout: 1_200_000 },
  (order) => {
    const cases = isLong ? 20_000 : 80;
    const wrong: { seed: number; found: readonly string[] }[] = [];
    let compared = 0;
    for (let seed = 1; compared < cases && wrong.length < 5; seed++) {
      const found = orderDifferences(randomCase(seed, { isWhole: true }), order);
      if (found === undefined) continue;
      compared++;
      if (found.length > 0) wrong.push({ seed, found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(cases);
  },
);
