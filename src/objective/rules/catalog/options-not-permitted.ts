import { titleOf } from '../../../values/index.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, hasBoth, takesRange } from './targets.js';

export const optionsNotPermitted: CatalogRule = {
  meta: {
    id: 'catalog/options-not-permitted',
    severity: 'error',
    summary: '`enum_options` on a parameter that is not an enum',
    why: 'Such a parameter has no options to choose from.',
    action: 'Write a `range`, or nothing at all for a boolean parameter.',
    examples: {
      fails: constraintExample('link-failure', 'name = "flap"\nenum_options = ["true"]'),
      passes: constraintExample('link-failure', 'name = "flap"'),
    },
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      if (constraint.keys.enum_options === undefined || hasBoth(constraint)) continue;
      const other = parameters.find(({ parameter }) => parameter.options === undefined)?.parameter;
      if (other === undefined) continue;
      report({
        message: `${title} is ${titleOf(other.valueType)} and takes no "enum_options"`,
        help: takesRange(other) ? 'write a "range"' : 'remove "enum_options"',
        span: draft.document.keySpan([...constraint.path, 'enum_options']),
      });
    }
  },
};
