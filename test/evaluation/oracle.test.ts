import { expect, test } from 'vitest';
import { isLong } from '../long.js';
import { differences, randomCase } from './compare.js';

const CASES = isLong ? 20_000 : 300;

test(`the engine agrees with the oracle, by every method`, { timeout: 1_200_000 }, () => {
  const wrong: { seed: number; found: readonly string[] }[] = [];
  let compared = 0;
  for (let seed = 1; compared < CASES && wrong.length < 5; seed++) {
    const found = differences(randomCase(seed));
    if (found === undefined) continue;
    compared++;
    if (found.length > 0) wrong.push({ seed, found });
  }
  expect(wrong).toEqual([]);
  expect(compared).toBe(CASES);
});
