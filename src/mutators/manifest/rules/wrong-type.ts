import { misfitsOf } from '../../../toml/index.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

export const wrongType: ManifestRule = {
  meta: {
    id: 'manifest/wrong-type',
    severity: 'error',
    summary: 'a value of another type than its key has',
    why: 'Its meaning would be a guess.',
    action: 'Write a value of the type in the message.',
    examples: {
      fails: example('name = "wind"\nmax_active = 600'),
      passes: example('name = "wind"\nmax_active = "10min"'),
    },
  },
  check: misfitsOf('wrong-type'),
};
