import { quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../rule.js';
import type { Operand, Term } from '../tree/ast.js';

/** What Perturb's language has beyond the core one. */
export const extension: ExpressionRule = {
  meta: {
    id: 'expression/extension',
    severity: 'warning',
    summary: 'a sum, a difference or a duration, which other platforms may not read',
    why: 'Perturb evaluates them, but they are not part of the core language of trace expressions.',
    action:
      'Set `extensions = true` under `[language]` in perturb.toml if only Perturb evaluates the expressions.',
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
        help: 'set extensions = true under [language] in perturb.toml if only Perturb reads it',
        span,
      });
    }
  },
};

/** The signs and durations of an expression, in text order. */
function extensionsIn({ tree, context: { inPatterns, inFilter } }: RuleInput): Span[] {
  const found: Span[] = [];
  for (const leaves of [inPatterns, inFilter]) {
    for (const leaf of leaves) {
      if (leaf.kind === 'located') continue;
      addExtensions(leaf.left, found);
      addExtensions(leaf.right, found);
    }
  }
  for (const { left, right } of tree.aggregate?.measures ?? []) {
    addExtensions(left, found);
    addExtensions(right, found);
  }
  return found;
}

function addExtensions(side: Operand | Term, found: Span[]): void {
  if (side.kind === 'duration') found.push(side.span);
  if (side.kind === 'call' && side.argument !== undefined) addExtensions(side.argument, found);
  if (side.kind !== 'arithmetic') return;
  addExtensions(side.first, found);
  for (const { signSpan, operand } of side.rest) {
    found.push(signSpan);
    addExtensions(operand, found);
  }
}
