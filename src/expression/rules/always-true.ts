import { quote } from '../../diagnostics/index.js';
import { Domain } from '../domain.js';
import type { Fact, Saying } from '../facts.js';
import type { ExpressionRule } from '../rule.js';

/** A comparison that everything satisfies. */
export const alwaysTrue: ExpressionRule = {
  meta: {
    id: 'expression/always-true',
    severity: 'warning',
    summary: 'a comparison that everything satisfies',
    why: 'It looks as if it tested something, and lets everything pass.',
    action: 'Correct the comparison, or delete it.',
    examples: {
      fails: "MATCH (name = 'fault') AS f AGGREGATE count() >= 0",
      passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 0",
    },
  },
  check({ text, survey }, report) {
    for (const [{ span }, saying] of survey.suspects) {
      if (!holdsAlways(saying)) continue;
      const message = `everything satisfies ${quote(text.slice(span.start, span.end))}`;
      report({ message, help: 'correct it, or delete it', span });
    }
  },
};

function holdsAlways(saying: Saying): boolean {
  if (saying.kind === 'constant') return saying.holds;
  return saying.kind === 'facts' && saying.facts.every(isCertain);
}

/**
 * Whether the opposite of a comparison with `count()` is impossible. Any other
 * subject may be missing or undefined, and every comparison with it false.
 */
function isCertain({ nature, kind, comparator, value }: Fact): boolean {
  if (!nature.integer) return false;
  const opposite = { kind, comparator: OPPOSITES[comparator], value };
  return new Domain<string>(nature).add(opposite, 'opposite') !== undefined;
}

const OPPOSITES = { '=': '!=', '!=': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;
