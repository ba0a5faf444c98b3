import { contains, formatRange, show } from '../../../mutators/model/index.js';
import { compare, convert } from '../../../mutators/values/index.js';
import type { CatalogRule } from '../../rule.js';
import { isOpenSide, toValue } from '../bounds.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, takesRange } from './targets.js';

export const rangeOutsideHardRange: CatalogRule = {
  meta: {
    id: 'catalog/range-outside-hard-range',
    severity: 'error',
    summary: "`range` is not contained in the parameter's hard range",
    why: 'The mutator refuses values outside its hard range, so the mutation fails on the bench.',
    action: 'Move the bound into the hard range.',
    examples: {
      fails: constraintExample('wind', 'name = "speed"\nrange = [0.0, 50.0]'),
      passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 40.0]'),
    },
  },
  check(draft, report) {
    for (const { constraint, parameter, title, place } of constrainedParameters(draft)) {
      const { range } = constraint.keys;
      const { hardRange, valueType } = parameter;
      if (range?.length !== 2 || hardRange === undefined || !takesRange(parameter)) continue;
      for (const [index, bound] of range.entries()) {
        if (bound === undefined || Number.isNaN(bound)) continue;
        const value = toValue(bound);
        const fits = convert(value, valueType) !== undefined || isOpenSide(value, valueType);
        if (!fits || contains(hardRange, value)) continue;
        const { lower, upper } = hardRange;
        const below = lower !== undefined && (compare(value, lower) ?? 0) < 0;
        const limit = below ? lower : upper;
        report({
          message: `${show(value)} is outside the hard range ${formatRange(hardRange)} of ${title}${place}`,
          ...(limit !== undefined && {
            help: `write ${show(limit)} or ${below ? 'more' : 'less'}`,
          }),
          span: draft.document.valueSpan([...constraint.path, 'range', index]),
        });
      }
    }
  },
};
