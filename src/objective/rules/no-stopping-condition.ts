import { nearest } from '../../diagnostics/index.js';
import { isTable, type TomlTable, type TomlValue } from '../../toml/index.js';
import { objectiveFormat } from '../format.js';
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
  check({ document, objective }, report) {
    if (Object.keys(objective.stopping_conditions?.keys ?? {}).length > 0) return;
    // Looks at the bare values: what stands there but does not fit, or under a
    // misspelt key, was meant to stop, and is reported for itself.
    const measurements = meantBy(document.root, 'measurement').flat().filter(isTable);
    const stops = [document.root, ...measurements].flatMap((table) =>
      meantBy(table, 'stopping_conditions'),
    );
    if (stops.some((stop) => !isTable(stop) || Object.keys(stop).length > 0)) return;
    report({
      message: 'nothing ever stops this objective',
      help: 'add [stopping_conditions] with "attempts" or "time"',
      span: document.headerSpan([]),
    });
  },
};

const KNOWN = Object.keys(objectiveFormat.keys);

/** The values of a key, and of any that is taken for a misspelling of it. */
function meantBy(table: TomlTable, key: string): TomlValue[] {
  return Object.entries(table)
    .filter(([other]) => other === key || (!KNOWN.includes(other) && nearest(other, KNOWN) === key))
    .map(([, value]) => value);
}
