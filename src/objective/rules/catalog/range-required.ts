import { formatRange } from '../../../mutators/model.js';
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
  *check(draft) {
    const { document } = draft;
    for (const { constraint, parameter, title } of constrainedParameters(draft)) {
      if (!takesRange(parameter) || document.has([...constraint.path, 'range'])) continue;
      // Options in place of a range are one mistake, and reported as that.
      if (document.has([...constraint.path, 'enum_options'])) continue;
      const { hardRange } = parameter;
      yield {
        message: `the constraint of ${title} needs a "range"`,
        ...(hardRange !== undefined && { help: `the hard range is ${formatRange(hardRange)}` }),
        span: document.valueSpan([...constraint.path, 'name']),
      };
    }
  },
};
