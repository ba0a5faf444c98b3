import { show } from '../../../mutators/model/index.js';
import { convert, titleOf } from '../../../mutators/values/index.js';
import type { CatalogRule } from '../../rule.js';
import { compareBounds, isOpenSide, toValue } from '../bounds.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, takesRange } from './targets.js';

export const rangeType: CatalogRule = {
  meta: {
    id: 'catalog/range-type',
    severity: 'error',
    summary: 'bounds of another type than the parameter',
    why: 'No value of the parameter lies between them. An integer is fine for a float.',
    action: "Write bounds of the parameter's type.",
    examples: {
      fails: constraintExample('wind', 'name = "speed"\nrange = ["high", "low"]'),
      passes: constraintExample('wind', 'name = "speed"\nrange = [0, 25]'),
    },
  },
  check(draft, report) {
    for (const { constraint, parameter, title } of constrainedParameters(draft)) {
      const { range } = constraint.keys;
      if (range?.length !== 2 || !takesRange(parameter)) continue;
      const [lower, upper] = range;
      // Bounds of two kinds are one mistake, which objective/invalid-range reports.
      const both = lower !== undefined && upper !== undefined;
      if (both && compareBounds(lower, upper) === undefined) continue;
      for (const [index, bound] of range.entries()) {
        if (bound === undefined) continue;
        const value = toValue(bound);
        const { valueType } = parameter;
        if (convert(value, valueType) !== undefined || isOpenSide(value, valueType)) continue;
        report({
          message: `expected ${titleOf(valueType)} for ${title}, found ${show(value)}`,
          span: draft.document.valueSpan([...constraint.path, 'range', index]),
        });
      }
    }
  },
};
