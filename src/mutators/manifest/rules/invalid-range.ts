import { readRange } from '../read-range.js';
import type { ManifestRule } from '../rule.js';
import { withParam } from './example.js';

export const invalidRange: ManifestRule = {
  meta: {
    id: 'manifest/invalid-range',
    severity: 'error',
    summary: "a `hard_range` that is not a lower and an upper bound of its parameter's type",
    why: 'No value lies in it, or it is not defined which do.',
    action:
      'Write `[lower, upper]` with the lower bound first, and `-inf` or `inf` for an open side.',
    examples: {
      fails: withParam('type = "float"\nhard_range = [40.0, 0.0]'),
      passes: withParam('type = "float"\nhard_range = [0.0, inf]'),
    },
  },
  check({ document, mutators }, report) {
    for (const { params } of mutators) {
      for (const param of params) readRange(document, param).violations.forEach(report);
    }
  },
};
