import { misfitsOf } from '../../toml/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

export const unknownKey: ObjectiveRule = {
  meta: {
    id: 'objective/unknown-key',
    severity: 'error',
    summary: 'a key that the format does not have',
    why: 'It has no effect, and is nearly always a misspelt key that was meant to have one.',
    action: 'Correct the key, or remove it.',
    examples: {
      fails: example('[stopping_conditions]\nattemps = 10', MEASUREMENT),
      passes: example('[stopping_conditions]\nattempts = 10', MEASUREMENT),
    },
  },
  check: misfitsOf('unknown-key'),
};
