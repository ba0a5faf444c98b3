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
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const { enum_options: written } = constraint.keys;
      if (written === undefined) continue;
      const sets = parameters.flatMap(({ parameter: { options } }) =>
        options === undefined ? [] : [new Set(options.map(({ name }) => name))],
      );
      for (const [index, option] of written.entries()) {
        if (option === undefined) continue;
        const lacking = sets.find((names) => !names.has(option));
        if (lacking === undefined) continue;
        const help = suggest(option, [...lacking]);
        report({
          message: `${title} has no option ${quote(option)}`,
          ...(help !== undefined && { help }),
          span: draft.document.valueSpan([...constraint.path, 'enum_options', index]),
        });
      }
    }
  },
};
