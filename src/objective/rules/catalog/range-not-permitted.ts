import { listOf } from '../../../diagnostics/index.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { constrainedParameters } from './targets.js';

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
    for (const { constraint, parameter, title } of constrainedParameters(draft)) {
      if (constraint.keys.range === undefined) continue;
      if (parameter.type !== 'boolean' && parameter.options === undefined) continue;
      const options = parameter.options?.map(({ name }) => name);
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
