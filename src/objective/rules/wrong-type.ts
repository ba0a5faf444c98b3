import { misfitsOf } from '../../toml/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

export const wrongType: ObjectiveRule = {
  meta: {
    id: 'objective/wrong-type',
    severity: 'error',
    summary: 'a value of another type than the key takes',
    why: 'The value cannot be used, and guessing what it means would run another experiment.',
    action: 'Write a value of the expected type.',
    examples: {
      fails: example('[stopping_conditions]\nattempts = "10"', MEASUREMENT),
      passes: example('[stopping_conditions]\nattempts = 10', MEASUREMENT),
    },
  },
  check: misfitsOf('wrong-type'),
};
