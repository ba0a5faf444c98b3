import { describe, expect, test } from 'vitest';
import { loadObjective, type Objective } from '../../../src/objective/index.js';
import { reasonToEnd, tally } from '../../../src/runner/attempt/stopping.js';
import type { JournalRecord, Outcome } from '../../../src/runner/journal/records.js';
import { type RunState, stateOf } from '../../../src/runner/journal/run-state.js';
import { decodeSource } from '../../../src/source/index.js';

function objective(general: string, own = ''): Objective {
  const text = `name = "x"
[[measurement]]
name = "a"
check = "MATCH (name = 'a') AS a"
${own === '' ? '' : `[measurement.stopping_conditions]\n${own}\n`}
[[measurement]]
name = "b"
should_pass = false
check = "MATCH (name = 'b') AS b"
[stopping_conditions]
${general}
`;
  const { objective: loaded, findings } = loadObjective(decodeSource('x.toml', Buffer.from(text)));
  if (loaded === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return loaded;
}

type Status = 'holds' | 'fails' | 'undecided';

/** A run whose attempts came out so: the outcome, and what became of measurement "a". */
function ran(outcomes: readonly (Outcome | readonly [Outcome, Status])[], elapsed = 0): RunState {
  const steps = outcomes.flatMap((one, at): JournalRecord[] => {
    const as = one === 'failed' ? ('fails' as const) : ('holds' as const);
    const [outcome, status] = typeof one === 'string' ? [one, as] : one;
    const n = at + 1;
    return [
      { step: 'attempt', n, plan: [] },
      {
        step: 'measured',
        n,
        outcome,
        reasons: [],
        measurements: [{ name: 'a', shouldPass: true, status }],
        ms: 1,
        events: 1,
      },
    ];
  });
  return stateOf(steps.map((step): JournalRecord => ({ ...step, time: 0, elapsed })));
}

describe('the first condition that is met ends a run', () => {
  test.each<[string, string, readonly Outcome[], number, unknown]>([
    ['attempts', 'attempts = 2', ['passed', 'failed'], 0, { reason: 'attempts' }],
    [
      'attempts without a verdict do not count',
      'attempts = 2',
      ['passed', 'skipped', 'inconclusive'],
      0,
      undefined,
    ],
    [
      'passing',
      'passing_measurements = 2',
      ['passed', 'failed', 'passed'],
      0,
      { reason: 'passing' },
    ],
    [
      'failing',
      'failing_measurements = 1\nattempts = 2',
      ['passed', 'failed'],
      0,
      { reason: 'failing' },
    ],
    [
      'neither skipped nor inconclusive',
      'passing_measurements = 1',
      ['skipped', 'inconclusive'],
      0,
      undefined,
    ],
    ['time', 'time = "2s"', ['passed'], 2_000, { reason: 'time' }],
    ['no time yet', 'time = "2s"', ['passed'], 1_999, undefined],
    ['nothing', 'time = "1h"', Array.from({ length: 200 }, () => 'failed' as const), 0, undefined],
  ])('%s', (_, general, outcomes, elapsed, end) => {
    expect(reasonToEnd(objective(general), ran(outcomes, elapsed))).toEqual(end);
  });
});

describe('the conditions of a measurement count its own results', () => {
  const general = 'attempts = 100';

  test('passing', () => {
    const some = objective(general, 'passing_measurements = 2');
    expect(
      reasonToEnd(
        some,
        ran([
          ['failed', 'holds'],
          ['passed', 'holds'],
        ]),
      ),
    ).toEqual({
      reason: 'passing',
      detail: 'a',
    });
    expect(
      reasonToEnd(
        some,
        ran([
          ['failed', 'fails'],
          ['passed', 'holds'],
        ]),
      ),
    ).toBeUndefined();
  });

  test('failing, and not in an attempt that is inconclusive', () => {
    const some = objective(general, 'failing_measurements = 1');
    expect(reasonToEnd(some, ran([['failed', 'fails']]))).toEqual({
      reason: 'failing',
      detail: 'a',
    });
    expect(reasonToEnd(some, ran([['inconclusive', 'fails']]))).toBeUndefined();
    expect(reasonToEnd(some, ran([['failed', 'undecided']]))).toBeUndefined();
  });
});

test('ten inconclusive attempts in a row end a run, nine and others do not', () => {
  const many = (count: number) => Array.from({ length: count }, () => 'inconclusive' as const);
  const some = objective('attempts = 100');
  expect(reasonToEnd(some, ran(many(9)))).toBeUndefined();
  expect(reasonToEnd(some, ran([...many(9), 'skipped', ...many(9)]))).toBeUndefined();
  expect(reasonToEnd(some, ran(['passed', ...many(10)]))).toEqual({ reason: 'inconclusive' });
});

test('fifty attempts in a row without a verdict end a run', () => {
  const some = objective('attempts = 100');
  // A few are inconclusive, never ten in a row.
  const without = (count: number) =>
    Array.from({ length: count }, (_, at) => (at % 7 === 0 ? 'inconclusive' : 'skipped'));
  expect(reasonToEnd(some, ran(without(49)))).toBeUndefined();
  expect(reasonToEnd(some, ran([...without(49), 'passed', ...without(49)]))).toBeUndefined();
  expect(reasonToEnd(some, ran(['failed', ...without(50)]))).toEqual({ reason: 'no-verdict' });
});

test('a tally leaves out the attempts that shrink', () => {
  const state = ran(['passed', 'failed']);
  const [, failed] = state.attempts;
  const attempts = [
    ...state.attempts,
    { ...failed, n: 3, shrinks: 2 } as (typeof state.attempts)[0],
  ];
  expect(tally({ attempts })).toEqual({
    attempts: 2,
    guarded: 0,
    passed: 1,
    failed: 1,
    skipped: 0,
    inconclusive: 0,
  });
});
