import { quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../rule.js';
import type { Operand, Term } from '../tree/ast.js';
import { summandsOf } from '../tree/walk.js';

/** What Perturb's language has beyond the core one. */
export const extension: ExpressionRule = {
  meta: {
    id: 'expression/extension',
    severity: 'warning',
    summary: 'a sum, a difference or a duration, which other platforms may not read',
    why: 'Perturb evaluates them, but they are not part of the core language of trace expressions.',
    action:
      'Set `extensions = true` below `[language]` in perturb.toml if Perturb alone evaluates the expressions.',
    examples: {
      fails:
        "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100",
      passes:
        "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time < f.deadline",
    },
  },
  check(input, report) {
    for (const span of extensionsIn(input)) {
      const written = input.text.slice(span.start, span.end);
      report({
        message: `${quote(written)} is an extension of the language`,
        help: 'set extensions = true below [language] in perturb.toml if Perturb alone reads it',
        span,
      });
    }
  },
};

/** The signs and durations of an expression, in text order. */
function extensionsIn({ tree, context: { inPatterns, inFilter } }: RuleInput): Span[] {
  const found: Span[] = [];
  for (const leaf of [...inPatterns, ...inFilter]) {
    if (leaf.kind === 'comparison') addExtensions([leaf.left, leaf.right], found);
  }
  for (const { left, right } of tree.aggregate?.measures ?? []) {
    addExtensions([left, right], found);
  }
  return found;
}

function addExtensions(sides: readonly (Operand | Term)[], found: Span[]): void {
  for (const side of sides) {
    const operand = side.kind === 'call' ? side.argument : side;
    if (operand === undefined) continue;
    if (operand.kind === 'arithmetic')
      for (const { signSpan } of operand.rest) found.push(signSpan);
    for (const { kind, span } of summandsOf(operand)) if (kind === 'duration') found.push(span);
  }
}
