import { quote } from '../../diagnostics/index.js';
import { constrainsValues } from '../draft.js';
import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

const withKeys = (keys: string): string =>
  example(`[[mutator]]\nname = "wind"\n\n[[mutator.param_constraints]]\nname = "speed"\n${keys}`);

export const emptyConstraint: ObjectiveRule = {
  meta: {
    id: 'objective/empty-constraint',
    severity: 'warning',
    summary: 'a constraint with neither `range` nor `enum_options`',
    why: 'It constrains nothing, and only a boolean parameter may lack both.',
    action: 'Add a `range`, or `enum_options` for an enum parameter, or remove the constraint.',
    examples: { fails: withKeys(''), passes: withKeys('range = [0.0, 25.0]') },
  },
  check(draft, report) {
    // Whether the parameter may lack both is known when there is a catalog.
    if (draft.catalog !== undefined) return;
    const { document, constraints } = draft;
    for (const constraint of constraints) {
      const { path, keys } = constraint;
      if (keys.name === undefined || constrainsValues(document, constraint)) continue;
      report({
        message: `the constraint of parameter ${quote(keys.name)} has neither "range" nor "enum_options"`,
        help: 'only a boolean parameter may lack both',
        span: document.valueSpan([...path, 'name']),
      });
    }
  },
};
