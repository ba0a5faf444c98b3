import { quote } from '../../diagnostics/index.js';
import { namesAsked } from '../analysis/asked-names.js';
import type { ExpressionRule } from '../analysis/context.js';
import { meaningOf } from '../analysis/meaning.js';
import type { Comparison, Condition, Pattern } from '../tree/ast.js';
import { overlap } from './absence.js';

/** Two labels of which every event may be both. */
export const sameEvent: ExpressionRule = {
  id: 'expression/same-event',
  severity: 'warning',
  summary: 'two labels that only equal attributes tie together may be one event',
  why: 'Different labels may stand for the same event, and every event has the same attributes as itself: each is paired with itself.',
  action: 'Say with `!=` in WHEN that they are two events, or order them.',
  examples: {
    fails:
      "MATCH (name = 'order') AS a, (name = 'order') AS b FILTER a.id = b.id AGGREGATE count() = 0",
    passes:
      "MATCH (name = 'order') AS a, (name = 'order') AS b WHEN a != b FILTER a.id = b.id AGGREGATE count() = 0",
  },
  check({ tree, context: { bound } }, report) {
    const { match, aggregate, broken } = tree;
    // `count() = 1 BY a` asks for no other event with the same attribute.
    if (bound.size < 2 || broken.size > 0 || aggregate?.by !== undefined) return;
    const { parts } = meaningOf(tree);
    const patterns = (match?.patterns ?? []).filter(({ absent }) => !absent);
    for (const [at, second] of patterns.entries()) {
      const label = second.label.text;
      const own = parts.filter(({ labels }) => labels.includes(label));
      const first = patterns.slice(0, at).find((one) => {
        const other = one.label.text;
        const about = [...own, ...parts.filter(({ labels }) => labels.includes(other))];
        const tie = about.every(
          (part) =>
            part.kind === 'condition' &&
            part.labels.length === 2 &&
            part.labels.includes(label) &&
            part.labels.includes(other) &&
            isSameOfBoth(part.condition),
        );
        return tie && own.length > 0 && asksForSame(one, second);
      });
      if (first === undefined) continue;
      report({
        message: `${quote(first.label.text)} and ${quote(label)} may be one event: each is paired with itself`,
        help: `write ${first.label.text} != ${label} in WHEN, or order them`,
        span: second.label.span,
        related: [{ message: 'the other label', span: first.label.span }],
      });
    }
  },
};

/** `a.x = b.x` */
function isSameOfBoth(condition: Condition): condition is Comparison {
  if (condition.kind !== 'comparison' || condition.comparator !== '=') return false;
  const { left, right } = condition;
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return false;
  const path = (side: typeof left) =>
    side.path
      .slice(1)
      .map(({ text }) => text)
      .join('`');
  return path(left) === path(right) && left.probe?.text === right.probe?.text;
}

/** Whether two patterns ask for the same names of events, and one event may satisfy both. */
function asksForSame(a: Pattern, b: Pattern): boolean {
  const names = (pattern: Pattern) => [...new Set(namesAsked(pattern.condition))].sort().join('`');
  return names(a) !== '' && names(a) === names(b) && overlap(a, b);
}
