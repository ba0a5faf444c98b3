import { quote } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../rule.js';
import type { Name } from '../tree/ast.js';

/** Two patterns with one label. */
export const duplicateLabel: ExpressionRule = {
  meta: {
    id: 'expression/duplicate-label',
    severity: 'error',
    summary: 'two patterns of MATCH have the same label',
    why: 'A label stands for one event of each match; with two patterns, nothing says which is meant.',
    action: 'Give one of the patterns another label.',
    examples: {
      fails: "MATCH (name = 'fault') AS e, (name = 'reset') AS e FILTER e.severity > 3",
      passes:
        "MATCH (name = 'fault') AS e, (name = 'reset') AS r WHEN e -> r FILTER e.severity > 3",
    },
  },
  check({ tree, context }, report) {
    if (context.bound.size === tree.labels.length) return;
    const firsts = new Map<string, Name>();
    for (const label of tree.labels) {
      const first = firsts.get(label.text);
      if (first === undefined) {
        firsts.set(label.text, label);
        continue;
      }
      report({
        message: `a second pattern has the label ${quote(label.text)}`,
        help: 'give one of the patterns another label',
        span: label.span,
        related: [{ message: 'the first one', span: first.span }],
      });
    }
  },
};
