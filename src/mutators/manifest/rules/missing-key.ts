import { checkActuatorKeys, missing } from '../../../actuators/index.js';
import { misfitsOf } from '../../../toml/index.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

const reportMisfits = misfitsOf('missing-key');

export const missingKey: ManifestRule = {
  meta: {
    id: 'manifest/missing-key',
    severity: 'error',
    summary: 'a required key is absent, or there is no `mutator` at all',
    why: 'The mutator can be neither named nor used without it.',
    action: 'Add the key to the table of the finding.',
    examples: {
      fails: example('name = "wind"', '[mutator.actuator]\nkind = "module"'),
      passes: example('name = "wind"', '[mutator.actuator]\nkind = "module"\npath = "./wind.js"'),
    },
  },
  check(draft, report) {
    reportMisfits(draft, report);
    const { document, mutators } = draft;
    for (const { params, actuator } of mutators) {
      for (const { path, keys } of params) {
        if (keys.type !== 'enum' || document.has([...path, 'options'])) continue;
        report(missing(document, path, 'options', 'add options = ["...", "..."]'));
      }
      if (actuator !== undefined) checkActuatorKeys(document, actuator, report);
    }
  },
};
