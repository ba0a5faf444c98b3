import { expect, test } from 'vitest';
import { benchLines, benchRates } from '../../../src/results/index.js';
import type { DoneAttempt, RunState } from '../../../src/runner/index.js';

/** A run whose benches made so many attempts, of which so many failed. */
function ran(benches: Readonly<Record<string, readonly [tried: number, failed: number]>>) {
  const attempts = Object.entries(benches).flatMap(([bench, [tried, failed]]) =>
    Array.from({ length: tried }, (_, at) => ({
      bench,
      plan: [],
      result: { outcome: at < failed ? 'failed' : 'passed' },
    })),
  );
  return { attempts: attempts as unknown as readonly DoneAttempt[] } as RunState;
}

test('a bench that fails where others pass is pointed out', () => {
  const run = ran({ a: [10, 8], b: [15, 0], c: [15, 1] });
  expect(benchLines(run)).toEqual([
    "bench a fails where others pass: 8 of 10 attempts, and 1 of 30 elsewhere (Fisher's exact test, p < 0.0001)",
  ]);
  const [a, b] = benchRates(ran({ a: [4, 3], b: [4, 1] }));
  // The tea that the lady tasted: 3 of 4 by chance 17 times in 70.
  expect(a?.p).toBeCloseTo(17 / 70, 12);
  expect(b?.p).toBeCloseTo(69 / 70, 12);
  expect(benchLines(ran({ a: [4, 3], b: [4, 1] }))).toEqual([]);
});

test('a failure that all benches have is not that of one', () => {
  expect(benchLines(ran({ a: [20, 9], b: [20, 11], c: [20, 10] }))).toEqual([]);
  expect(benchLines(ran({ a: [3, 3], b: [0, 0] }))).toEqual([]);
  expect(benchRates({ attempts: [] })).toEqual([]);
});
