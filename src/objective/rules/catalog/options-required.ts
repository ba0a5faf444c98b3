import { listOf } from '../../../diagnostics/index.js';
import { constrainsValues } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { constrainedParameters } from './targets.js';

export const optionsRequired: CatalogRule = {
  meta: {
    id: 'catalog/options-required',
    severity: 'error',
    summary: 'no `enum_options` on an enum parameter',
    why: 'Without options the constraint says nothing about the values of the parameter.',
    action: 'Add `enum_options`, or remove the constraint.',
    examples: {
      fails: constraintExample('wind', 'name = "mode"'),
      passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
    },
  },
  check(draft, report) {
    const { document } = draft;
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const options = parameters.find(({ parameter }) => parameter.options)?.parameter.options;
      // A range in place of options, or a misspelt key, is one mistake, and reported as that.
      if (options === undefined || constrainsValues(document, constraint)) continue;
      report({
        message: `the constraint of ${title} needs "enum_options"`,
        help: `its options: ${listOf(options.map(({ name }) => name))}`,
        span: document.valueSpan([...constraint.path, 'name']),
      });
    }
  },
};
