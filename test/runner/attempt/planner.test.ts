import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlanner } from '../../../src/runner/attempt/stopping.js';
import type { JournalRecord } from '../../../src/runner/journal/records.js';
import { applyRecord, stateOf } from '../../../src/runner/journal/run-state.js';
import { keyOf, toPlan, toSet } from '../../../src/runner/plan/space.js';
import { STRATEGY_NAMES } from '../../../src/runner/plan/strategies.js';
import { runs } from '../../long.js';
import { seed, space } from '../plan/spaces.js';

/** How an attempt at a bench ends: with a margin, without one, or by an outage that may set its set aside. */
const ending = fc.record({
  bench: fc.nat(3),
  margin: fc.option(fc.double({ min: -2, max: 2, noNaN: true }), { nil: undefined }),
  outage: fc.constantFrom({}, { outage: true }, { outage: true, aside: true }),
  isKilled: fc.boolean(),
});

test('a run that is resumed plans as one that was never interrupted, at any number of benches', () => {
  fc.assert(
    fc.property(
      space,
      seed,
      fc.constantFrom(...STRATEGY_NAMES),
      fc.array(ending, { minLength: 20, maxLength: 60 }),
      (some, from, strategy, endings) => {
        const uninterrupted = createPlanner(some, { strategy, seed: from });
        const records: JournalRecord[] = [];
        let state = stateOf(records);
        const aside = new Set<string>();
        const write = (record: JournalRecord) => {
          records.push(record);
          state = applyRecord(state, record);
        };
        for (const [at, { bench, margin, outage, isKilled }] of endings.entries()) {
          const name = `bench ${bench}`;
          const open = state.openAttempts.find((one) => one.bench === name);
          if (open === undefined) {
            const set = uninterrupted(state);
            if (isKilled) {
              const resumed = createPlanner(some, { strategy, seed: from });
              expect(resumed(stateOf(records))).toEqual(set);
            }
            // All sets may be set aside.
            if (set === undefined) return;
            const key = keyOf(set);
            expect(aside).not.toContain(key);
            write({ step: 'attempt', n: at + 1, plan: toPlan(some, set), bench: name });
            continue;
          }
          const measured = {
            ...({ name: 'low', status: 'holds', shouldPass: true, passed: true } as const),
            ...(margin !== undefined && { margin }),
          };
          write({
            ...{ step: 'measured', n: open.n, bench: name, outcome: 'passed', reasons: [] },
            ...{ measurements: [measured], ms: 1, events: 1, ...outage },
          });
          if ('aside' in outage) aside.add(keyOf(toSet(some, open.plan) ?? []));
        }
      },
    ),
    { numRuns: runs(300) },
  );
});
