import { misfitsOf } from '../../toml/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT, STOP } from './example.js';

export const missingKey: ObjectiveRule = {
  meta: {
    id: 'objective/missing-key',
    severity: 'error',
    summary: 'a required key is absent, or there is no `measurement` at all',
    why: 'The objective can be neither named, run nor judged without it.',
    action: 'Add the key to the table of the finding.',
    examples: {
      fails: example('[[measurement]]\nname = "Stays in the air"', STOP),
      passes: example(MEASUREMENT, STOP),
    },
  },
  check: misfitsOf('missing-key'),
};
