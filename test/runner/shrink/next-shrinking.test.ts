import { expect, test } from 'vitest';
import type { DoneAttempt, RunState } from '../../../src/runner/journal/run-state.js';
import { type Plan, type Space, toPlan } from '../../../src/runner/plan/space.js';
import { nextShrinking } from '../../../src/runner/shrink/next-shrinking.js';

/* Shrinking with a limit of time: what was found by then is confirmed, and nothing else is tried. */

const SPACE: Space = {
  mutators: [
    {
      server: 'bench',
      id: 'a',
      name: 'a',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'whole',
          type: 'integer',
          key: 'x',
          name: 'x',
          lower: 0n,
          upper: 1_000_000n,
          leastEffect: { type: 'integer', value: 0n },
        },
      ],
    },
  ],
  maxMutations: 1,
};

const planOf = (x: bigint) =>
  toPlan(SPACE, [{ mutator: 0, values: [{ type: 'integer', value: x }] }]);
const xOf = (plan: Plan) => plan[0]?.params.get('x')?.value as bigint | undefined;
/** The border of a system that fails from there on. */
const BORDER = 777n;
const SECOND = 1_000;

function done(n: number, plan: Plan, shrinks?: number): DoneAttempt {
  const fails = (xOf(plan) ?? 0n) >= BORDER;
  const measurement = { name: 'm', shouldPass: true, status: fails ? 'fails' : 'holds' } as const;
  const result = {
    step: 'measured',
    ...{ n, events: 1, ms: SECOND, reasons: [], measurements: [measurement] },
    outcome: fails ? 'failed' : 'passed',
  } as const;
  return { n, plan, ...(shrinks !== undefined && { shrinks }), result };
}

/** Shrinks to the end. */
function shrunkWithin(shrinkMs: number | undefined) {
  let attempts = [done(1, planOf(1_000_000n))];
  for (;;) {
    const run = shrinkMs === undefined ? {} : { shrinkMs };
    const state = { run, attempts, resumedAt: 0, shrunkSets: [] } as unknown as RunState;
    const next = nextShrinking(SPACE, state);
    if (next === undefined || !('times' in next)) return { next, tried: attempts.length - 1 };
    attempts = [...attempts, done(attempts.length + 1, next.plan, 1)];
  }
}

test('without a limit, shrinking goes on to the border', () => {
  const { next } = shrunkWithin(undefined);
  expect(next).toMatchObject({ step: 'shrunk', ended: 'found', borders: [{ ended: 'budget' }] });
});

test('after its time, what was found by then is confirmed', () => {
  const { next, tried } = shrunkWithin(20 * SECOND);
  expect(next).toMatchObject({
    step: 'shrunk',
    ended: 'budget',
    attempts: tried,
    isSmaller: true,
  });
  expect(tried).toBeGreaterThanOrEqual(20);
  expect(tried).toBeLessThanOrEqual(32);
  const found = next !== undefined && 'plan' in next ? xOf(next.plan) : undefined;
  expect(found).toBeGreaterThanOrEqual(BORDER);
  expect(found).toBeLessThan(1_000_000n);
});
