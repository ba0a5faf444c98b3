import { misfitsOf } from '../../../toml/index.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

export const wrongType: ManifestRule = {
  meta: {
    id: 'manifest/wrong-type',
    severity: 'error',
    summary: 'a value of another type than its key has',
    why: 'It could only be guessed what is meant.',
    action: 'Write a value of the type that is named.',
    examples: {
      fails: example('name = "wind"\nmax_active = 600'),
      passes: example('name = "wind"\nmax_active = "10min"'),
    },
  },
  check: misfitsOf('wrong-type'),
};
