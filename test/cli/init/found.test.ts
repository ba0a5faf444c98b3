import { expect, test } from 'vitest';
import { foundIn } from '../../../src/cli/init/found.js';
import type {
  BorderRecord,
  DoneAttempt,
  Plan,
  RunState,
  ShrunkRecord,
} from '../../../src/runner/index.js';

/* What init says of a run. */

const planOf = (delay: bigint, mode = 'slow'): Plan => [
  {
    ...{ server: 's', id: 'net', name: 'net' },
    params: new Map([
      ['delay', { type: 'integer', value: delay }],
      ['mode', { type: 'string', value: mode }],
    ]),
  },
];

function attempt(n: number, plan: Plan, fails: boolean, shrinks?: number): DoneAttempt {
  const measurements = [
    { name: 'm', shouldPass: true, status: fails ? 'fails' : 'holds' } as const,
  ];
  const outcome = fails ? 'failed' : 'passed';
  const result = {
    step: 'measured',
    n,
    outcome,
    events: 1,
    ms: 1,
    reasons: [],
    measurements,
  } as const;
  return { n, plan, ...(shrinks !== undefined && { shrinks }), result };
}

function said(attempts: readonly DoneAttempt[], shrunk?: Partial<ShrunkRecord>) {
  const record = {
    of: 1,
    cause: 'm',
    plan: planOf(50n),
    tried: 5,
    failed: 5,
    borders: [],
    ...shrunk,
  };
  return foundIn({ attempts, shrunk: shrunk ? [record] : [] } as unknown as RunState);
}

const FAILED = attempt(1, planOf(90n), true);

test('the smaller set is named, and where it begins to fail', () => {
  const integer = (value: bigint) => ({ type: 'integer', value }) as const;
  const border: BorderRecord = {
    parameter: { server: 's', id: 'net', key: 'delay' },
    ...{ safe: integer(0n), from: integer(44n), to: integer(50n), ended: 'narrow', odd: [] },
    ...{ risesFrom: integer(44n), risesTo: integer(50n) },
    below: { value: integer(40n), tried: 6, failed: 0 },
  };
  expect(said([FAILED], { ended: 'found', borders: [border] })).toEqual({
    text: 'Found: net breaks "m".\nIt fails with net delay=50 mode=slow (5 of 5 times).\nnet delay begins to fail between 44 and 50 (97 %); it never failed from 0 to 40, in 6 attempts.',
    attempt: 1,
  });
  expect(said([FAILED], { ended: 'budget' }).text).toMatch(/mode=slow \(5 of 5 times\)\.$/);
});

test('what fails without faults, or does not repeat, is not said to be found', () => {
  expect(said([FAILED], { ended: 'unmutated', plan: [], failed: 4 }).text).toBe(
    'Found nothing: "m" fails without faults too, 4 of 5 times.',
  );
  expect(said([FAILED], { ended: 'not-repeated', failed: 0 }).text).toBe(
    'Found nothing that repeats: "m" failed once, with net delay=90 mode=slow, and then 0 of 5 times.',
  );
});

test('a run in which all passed says how many attempts there were', () => {
  const passed = attempt(1, planOf(90n), false);
  expect(said([passed])).toEqual({
    text: 'Found nothing: every question held in 1 attempt with faults.',
  });
  expect(said([passed, attempt(2, planOf(9n), false)]).text).toContain('in 2 attempts with faults');
});
