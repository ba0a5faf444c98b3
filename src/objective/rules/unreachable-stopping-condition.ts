import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

const COUNTS = ['passing_measurements', 'failing_measurements'] as const;

export const unreachableStoppingCondition: ObjectiveRule = {
  meta: {
    id: 'objective/unreachable-stopping-condition',
    severity: 'warning',
    summary: 'a count above `attempts`, so that `attempts` always stops first',
    why: 'The condition can never be met: each attempt adds at most one to the count.',
    action: 'Lower the count, raise `attempts`, or remove one of the two.',
    examples: {
      fails: example(
        '[stopping_conditions]\nattempts = 10\nfailing_measurements = 20',
        MEASUREMENT,
      ),
      passes: example(
        '[stopping_conditions]\nattempts = 20\nfailing_measurements = 10',
        MEASUREMENT,
      ),
    },
  },
  check({ document, measurements, objective: { stopping_conditions: general } }, report) {
    const attempts = general?.keys.attempts;
    if (attempts === undefined) return;
    for (const stop of [general, ...measurements.map(({ keys }) => keys.stopping_conditions)]) {
      for (const key of COUNTS) {
        const value = stop?.keys[key];
        if (stop === undefined || value === undefined || value <= attempts) continue;
        report({
          message: `"${key}" is never reached: "attempts" stops after ${attempts} attempts`,
          help: `write a count of at most ${attempts}, or raise "attempts"`,
          span: document.valueSpan([...stop.path, key]),
          related: [
            {
              message: 'this stops first',
              span: document.valueSpan(['stopping_conditions', 'attempts']),
            },
          ],
        });
      }
    }
  },
};
