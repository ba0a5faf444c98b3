import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

const withKeys = (keys: string): string =>
  example(`[[mutator]]\nname = "wind"\n\n[[mutator.param_constraints]]\nname = "mode"\n${keys}`);

export const rangeAndOptions: ObjectiveRule = {
  meta: {
    id: 'objective/range-and-options',
    severity: 'error',
    summary: '`range` and `enum_options` together',
    why: 'A parameter is an enum or it has a range; no parameter has both.',
    action: 'Keep `enum_options` for an enum parameter, `range` for any other.',
    examples: {
      fails: withKeys('range = ["gust", "steady"]\nenum_options = ["gust", "steady"]'),
      passes: withKeys('enum_options = ["gust", "steady"]'),
    },
  },
  check({ document, constraints }, report) {
    for (const { path, keys } of constraints) {
      if (keys.range === undefined || keys.enum_options === undefined) continue;
      const range = document.keySpan([...path, 'range']);
      const options = document.keySpan([...path, 'enum_options']);
      const [first, second] = range.start < options.start ? [range, options] : [options, range];
      report({
        message: 'a constraint has either "range" or "enum_options", found both',
        help: 'keep "enum_options" for an enum parameter, "range" for any other',
        span: second,
        related: [{ message: 'the other one', span: first }],
      });
    }
  },
};
