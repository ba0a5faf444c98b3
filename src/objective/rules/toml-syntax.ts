import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

export const tomlSyntax: ObjectiveRule = {
  meta: {
    id: 'toml/syntax',
    severity: 'error',
    mandatory: true,
    summary: 'the file is not TOML',
    why: 'Nothing after the mistake can be read with certainty, so nothing else is checked.',
    action: 'Correct the TOML at the place that is marked.',
    examples: {
      fails: example('[mutation_constraints]\nmax_concurrent_mutations = two'),
      passes: example('[mutation_constraints]\nmax_concurrent_mutations = 2'),
    },
  },
};
