import { listOf } from '../../../diagnostics/index.js';
import type { Bound } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { compareBounds } from '../bounds.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, hasBoth, takesNoRange } from './targets.js';

export const rangeNotPermitted: CatalogRule = {
  meta: {
    id: 'catalog/range-not-permitted',
    severity: 'error',
    summary: '`range` on a boolean or enum parameter',
    why: 'The values of such a parameter have no order, so a range of them means nothing.',
    action: 'Write `enum_options` for an enum parameter; leave the range out for a boolean one.',
    examples: {
      fails: constraintExample('wind', 'name = "mode"\nrange = ["gust", "steady"]'),
      passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust", "steady"]'),
    },
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const { range } = constraint.keys;
      if (range === undefined || hasBoth(constraint) || hasNoOrder(range)) continue;
      const unranged = parameters.find(({ parameter }) => takesNoRange(parameter));
      if (unranged === undefined) continue;
      const options = unranged.parameter.options?.map(({ name }) => name);
      report({
        message: `${title} is ${options === undefined ? 'a boolean' : 'an enum'} and takes no "range"`,
        help:
          options === undefined
            ? 'remove "range": a boolean is not constrained further'
            : `write "enum_options" with one or more of ${listOf(options)}`,
        span: draft.document.keySpan([...constraint.path, 'range']),
      });
    }
  },
};

/** Whether bounds are of no kind that has an order, which objective/invalid-range reports. */
function hasNoOrder([lower, upper]: readonly (Bound | undefined)[]): boolean {
  return lower !== undefined && upper !== undefined && compareBounds(lower, upper) === undefined;
}
