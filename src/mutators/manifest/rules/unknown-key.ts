import { misfitsOf } from '../../../toml/index.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

export const unknownKey: ManifestRule = {
  meta: {
    id: 'manifest/unknown-key',
    severity: 'error',
    summary: 'a key that manifests do not have',
    why: 'It would have no effect.',
    action: 'Correct the spelling, or remove the key.',
    examples: {
      fails: example('name = "wind"\nmax_activ = "10min"'),
      passes: example('name = "wind"\nmax_active = "10min"'),
    },
  },
  check: misfitsOf('unknown-key'),
};
