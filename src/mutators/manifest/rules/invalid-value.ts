import type { ManifestRule } from '../rule.js';
import { checkActuator } from './actuator-values.js';
import { checkDuration } from './duration-values.js';
import { withParam } from './example.js';
import { checkMutatorId, checkParam } from './mutator-values.js';

export const invalidValue: ManifestRule = {
  meta: {
    id: 'manifest/invalid-value',
    severity: 'error',
    summary: 'a value of the right type that can not be meant',
    why: 'The mutator could not be used, or would do something else than it says.',
    action: 'Write one of the values that are named.',
    examples: {
      fails: withParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 50.0'),
      passes: withParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 5.0'),
    },
  },
  *check({ document, mutators }) {
    for (const mutator of mutators) {
      const { path, keys, params, actuator } = mutator;
      yield* checkMutatorId(document, mutator);
      yield* checkDuration(document, [...path, 'max_active'], keys.max_active);
      for (const param of params) yield* checkParam(document, param);
      if (actuator !== undefined) yield* checkActuator(document, actuator);
    }
  },
};
