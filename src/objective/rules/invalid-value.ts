import { misfitsOf } from '../../toml/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

export const invalidValue: ObjectiveRule = {
  meta: {
    id: 'objective/invalid-value',
    severity: 'error',
    summary: 'an empty `name` or `check`, or a count below 1',
    why: 'An empty name identifies nothing, and a count of 0 would stop before the first run.',
    action: 'Write a text that is not empty, or a count of at least 1.',
    examples: {
      fails: example('[stopping_conditions]\nattempts = 0', MEASUREMENT),
      passes: example('[stopping_conditions]\nattempts = 1', MEASUREMENT),
    },
  },
  check: misfitsOf('invalid-value'),
};
