import { expect, test } from 'vitest';
import { differences, randomCase } from './compare.js';

const CASES = process.env['PERTURB_TEST_LONG'] === '1' ? 20_000 : 2_000;

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
