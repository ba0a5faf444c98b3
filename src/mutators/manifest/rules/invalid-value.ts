import { checkActuatorValues, checkDuration } from '../../../actuators/index.js';
import { misfitsOf } from '../../../toml/index.js';
import type { ManifestRule } from '../rule.js';
import { withParam } from './example.js';
import { checkMutatorId, checkParam } from './mutator-values.js';

const reportMisfits = misfitsOf('invalid-value');

export const invalidValue: ManifestRule = {
  meta: {
    id: 'manifest/invalid-value',
    severity: 'error',
    summary: 'a value of the right type that cannot be meant',
    why: 'The mutator could not be used, or would not do what it says.',
    action: 'Write one of the values in the message.',
    examples: {
      fails: withParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 50.0'),
      passes: withParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 5.0'),
    },
  },
  check(draft, report) {
    reportMisfits(draft, report);
    const { document, mutators } = draft;
    for (const mutator of mutators) {
      const { path, keys, params, actuator } = mutator;
      checkMutatorId(document, mutator, report);
      checkDuration(document, [...path, 'max_active'], keys.max_active, report);
      for (const param of params) checkParam(document, param, report);
      if (actuator !== undefined) checkActuatorValues(document, actuator, report);
    }
  },
};
