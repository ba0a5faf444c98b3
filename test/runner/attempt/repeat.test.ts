import { expect, test } from 'vitest';
import {
  findNextRepeat,
  REPEAT_TEST,
  repetitionResults,
} from '../../../src/runner/attempt/causes.js';
import {
  type DoneAttempt,
  nextNumber,
  type RunState,
  stateOf,
} from '../../../src/runner/journal/run-state.js';
import { roll } from '../../dice.js';

const done = (n: number, outcome: 'passed' | 'failed', repeats?: number) =>
  ({
    ...{ n, plan: [], result: { step: 'measured', n, outcome, reasons: [], measurements: [] } },
    ...(repeats !== undefined && { repeats }),
  }) as unknown as DoneAttempt;

test('what many benches have made is repeated, though the run goes on with one', () => {
  const attempts = Array.from({ length: 4 }, (_, at) => done(at + 1, 'failed'));
  const repeats: DoneAttempt[] = [];
  const run = { repeat: 'auto', benches: [{ name: 'a', servers: [] }] };
  const state = { run, attempts, repeats, openAttempts: [] } as unknown as RunState;
  for (let of = findNextRepeat(state); of !== undefined; of = findNextRepeat(state)) {
    repeats.push(done(repeats.length + 5, 'failed', of.n));
  }
  expect(repetitionResults({ repeats }).map((one) => [one.of, one.verdict])).toEqual(
    attempts.map(({ n }) => [n, 'often']),
  );
});

test('what was under way at several benches stays so until it is made again, though at one', () => {
  const attempt = (n: number, bench: string) => ({ step: 'attempt' as const, n, plan: [], bench });
  const { openAttempts: open } = stateOf([
    ...[attempt(1, 'a'), attempt(2, 'b'), attempt(3, 'c')],
    { step: 'resumed', benches: [{ name: 'b', servers: ['b'] }] },
    attempt(1, 'b'),
  ]);
  expect(open.map(({ n, bench }) => [n, bench])).toEqual([
    [2, 'b'],
    [3, 'c'],
    [1, 'b'],
  ]);
});

test('a number is given once, though repetitions at several benches end in another order', () => {
  const attempt = (n: number, bench: string, repeats?: number) => ({
    ...{ step: 'attempt' as const, n, plan: [], bench },
    ...(repeats !== undefined && { repeats }),
  });
  const measured = (n: number, bench: string) => ({
    ...{ step: 'measured' as const, n, bench, outcome: 'failed' as const },
    ...{ reasons: [], measurements: [], ms: 1, events: 1 },
  });
  const records = [
    ...[attempt(1, 'a'), measured(1, 'a'), attempt(2, 'a', 1), attempt(3, 'b', 1)],
    ...[measured(3, 'b'), measured(2, 'a')],
  ];
  const next = records.map((_, at) => nextNumber(stateOf(records.slice(0, at + 1))));
  expect(next).toEqual([2, 2, 3, 4, 4, 4]);
});

test('the test of repetitions errs no more often than it says', () => {
  for (const [rate, wrong] of [
    [REPEAT_TEST.seldom, 'often'],
    [REPEAT_TEST.often, 'seldom'],
  ] as const) {
    const dice = roll(7);
    let errors = 0;
    let tries = 0;
    for (let trial = 0; trial < 2_000; trial += 1) {
      const repeats: DoneAttempt[] = [];
      const state = {
        run: { repeat: 'auto' },
        attempts: [done(1, 'failed')],
        repeats,
        openAttempts: [],
      };
      while (findNextRepeat(state as unknown as RunState) !== undefined) {
        const fails = dice.upTo(999) < 1_000 * rate;
        repeats.push(done(repeats.length + 2, fails ? 'failed' : 'passed', 1));
      }
      if (repetitionResults({ repeats })[0]?.verdict === wrong) errors += 1;
      tries += repeats.length;
    }
    expect(errors / 2_000, wrong).toBeLessThanOrEqual(REPEAT_TEST.error);
    expect(tries / 2_000, wrong).toBeLessThan(8);
  }
});
