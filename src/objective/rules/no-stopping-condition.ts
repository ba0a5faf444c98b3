import { isTable } from '../../toml/index.js';
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
  *check({ document }) {
    // Looks at the bare values: what stands there but does not fit was meant to
    // stop, and is reported for itself.
    const { measurement, stopping_conditions: general } = document.root;
    const measurements = Array.isArray(measurement) ? measurement.filter(isTable) : [];
    const stops = [general, ...measurements.map((table) => table['stopping_conditions'])];
    if (stops.some((stop) => !isTable(stop ?? {}) || Object.keys(stop ?? {}).length > 0)) return;
    yield {
      message: 'nothing ever stops this objective',
      help: 'add [stopping_conditions] with "attempts" or "time"',
      span: document.headerSpan([]),
    };
  },
};
