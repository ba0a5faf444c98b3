import type { RuleMeta } from '../../diagnostics/index.js';

/** What `objective fmt --check` reports: not a rule of the linter, for layout is not a mistake. */
export const formatRule: RuleMeta = {
  id: 'format/expression',
  severity: 'error',
  fixable: true,
  summary: 'an expression is not laid out as `perturb objective fmt` would',
  why: 'Where everybody has one layout, a difference between two versions shows what changed.',
  action: 'Run `perturb objective fmt`.',
  examples: {
    fails: `check = "match (name = 'CRASH') as crash"\n`,
    passes: `check = "MATCH (name = 'CRASH') AS crash"\n`,
  },
};
