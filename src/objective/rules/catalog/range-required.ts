import { formatRange } from '../../../mutators/model/index.js';
import { constrainsValues } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, takesRange } from './targets.js';

export const rangeRequired: CatalogRule = {
  meta: {
    id: 'catalog/range-required',
    severity: 'error',
    summary: 'no `range` on a parameter that needs one',
    why: 'Without a range the constraint says nothing about the values of the parameter.',
    action: 'Add a `range` within the hard range, or remove the constraint.',
    examples: {
      fails: constraintExample('wind', 'name = "speed"'),
      passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
    },
  },
  check(draft, report) {
    const { document } = draft;
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const ranged = parameters.filter(({ parameter }) => takesRange(parameter));
      // Options in place of a range, or a misspelt key, are one mistake, and reported as that.
      if (ranged.length === 0 || constrainsValues(document, constraint)) continue;
      const hardRange = ranged.find(({ parameter }) => parameter.hardRange)?.parameter.hardRange;
      report({
        message: `the constraint of ${title} needs a "range"`,
        ...(hardRange !== undefined && { help: `the hard range is ${formatRange(hardRange)}` }),
        span: document.valueSpan([...constraint.path, 'name']),
      });
    }
  },
};
