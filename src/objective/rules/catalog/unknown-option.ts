import { quote, suggest } from '../../../diagnostics/index.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { constrainedParameters } from './targets.js';

export const unknownOption: CatalogRule = {
  meta: {
    id: 'catalog/unknown-option',
    severity: 'error',
    summary: 'an option that the parameter does not have',
    why: 'The mutator refuses the option, so the mutation fails on the bench.',
    action: 'Correct the option, or remove it.',
    examples: {
      fails: constraintExample('wind', 'name = "mode"\nenum_options = ["gusts"]'),
      passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
    },
  },
  check(draft, report) {
    for (const { constraint, parameter, title } of constrainedParameters(draft)) {
      const names = parameter.options?.map(({ name }) => name);
      if (names === undefined) continue;
      for (const [index, option] of (constraint.keys.enum_options ?? []).entries()) {
        if (option === undefined || names.includes(option)) continue;
        const help = suggest(option, names);
        report({
          message: `${title} has no option ${quote(option)}`,
          ...(help !== undefined && { help }),
          span: draft.document.valueSpan([...constraint.path, 'enum_options', index]),
        });
      }
    }
  },
};
