import { quote } from '../../diagnostics/index.js';
import type { Claim, Fact } from '../analysis/claims.js';
import { Domain } from '../analysis/domain.js';
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
  check({ text, context }, report) {
    for (const [{ span }, claim] of context.claims) {
      if (!holdsAlways(claim)) continue;
      const message = `everything satisfies ${quote(text.slice(span.start, span.end))}`;
      report({ message, help: 'correct it, or delete it', span });
    }
  },
};

function holdsAlways(claim: Claim): boolean {
  if (claim.kind === 'constant') return claim.holds;
  return claim.kind === 'facts' && claim.facts.length > 0 && claim.facts.every(isCertain);
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
