import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

export const noStoppingCondition: ObjectiveRule = {
  meta: {
    id: 'objective/no-stopping-condition',
    severity: 'warning',
    summary: 'nothing ever stops the objective',
    why: 'With no stopping condition, general or on a measurement, new runs are generated for ever.',
    action: 'Add `[stopping_conditions]` with `attempts` or `time`.',
    examples: {
      fails: example(MEASUREMENT, ''),
      passes: example(`${MEASUREMENT}\n[stopping_conditions]\ntime = "2h"`, ''),
    },
  },
  check({ document, objective, measurements, misfits }, report) {
    const stops = [objective, ...measurements.map(({ keys }) => keys)];
    if (stops.some((keys) => hasKeys(keys.stopping_conditions?.keys))) return;
    // What was meant to stop, and does not fit or has another name, is reported for itself.
    if (misfits.some(({ path, meant }) => [...path, ...(meant ?? [])].includes(KEY))) return;
    report({
      message: 'nothing ever stops this objective',
      help: 'add [stopping_conditions] with "attempts" or "time"',
      span: document.headerSpan([]),
    });
  },
};

const KEY = 'stopping_conditions';

function hasKeys(keys: object = {}): boolean {
  return Object.keys(keys).length > 0;
}
