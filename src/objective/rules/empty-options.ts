import { quote } from '../../diagnostics/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

const withOptions = (options: string): string =>
  example(
    `[[mutator]]\nname = "wind"\n\n[[mutator.param_constraints]]\nname = "mode"\nenum_options = ${options}`,
  );

export const emptyOptions: ObjectiveRule = {
  meta: {
    id: 'objective/empty-options',
    severity: 'error',
    summary: '`enum_options` is empty, or has an option twice',
    why: 'An empty set allows no value at all; a repeated option is probably another one, misspelt.',
    action: 'List each allowed value once.',
    examples: { fails: withOptions('[]'), passes: withOptions('["gust"]') },
  },
  check({ document, constraints }, report) {
    for (const { path, keys } of constraints) {
      if (keys.enum_options === undefined) continue;
      const options = [...path, 'enum_options'];
      if (keys.enum_options.length === 0) {
        report({
          message: '"enum_options" is empty: it allows no value',
          span: document.valueSpan(options),
        });
      }
      const first = new Map<string, number>();
      for (const [index, option] of keys.enum_options.entries()) {
        if (option === undefined) continue;
        const earlier = first.get(option);
        if (earlier === undefined) {
          first.set(option, index);
          continue;
        }
        report({
          message: `duplicate option ${quote(option)}`,
          span: document.valueSpan([...options, index]),
          related: [{ message: 'the first one', span: document.valueSpan([...options, earlier]) }],
        });
      }
    }
  },
};
