import { titleOf, type ValueType } from '../../../values/index.js';
import type { Bound } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { boundOf, compareBounds, isOpenSide, showBound, toValue } from '../bounds.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, hasBoth, type PlacedParameter, takesRange } from './targets.js';

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
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const { range } = constraint.keys;
      if (range?.length !== 2 || hasBoth(constraint)) continue;
      const [lower, upper] = range;
      // Bounds of two kinds are one mistake, which objective/invalid-range reports.
      const both = lower !== undefined && upper !== undefined;
      if (both && compareBounds(lower, upper) === undefined) continue;
      for (const [index, bound] of range.entries()) {
        const wanted = bound === undefined ? undefined : otherType(bound, parameters);
        if (bound === undefined || wanted === undefined) continue;
        report({
          message: `expected ${titleOf(wanted)} for ${title}, found ${showBound(bound)}`,
          span: draft.document.valueSpan([...constraint.path, 'range', index]),
        });
      }
    }
  },
};

/** The type of the first parameter that does not take a bound. */
function otherType(bound: Bound, parameters: readonly PlacedParameter[]): ValueType | undefined {
  return parameters.find(({ parameter }) => {
    const { valueType } = parameter;
    if (!takesRange(parameter) || isOpenSide(toValue(bound), valueType)) return false;
    return boundOf(bound, valueType) === undefined;
  })?.parameter.valueType;
}
