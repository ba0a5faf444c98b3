import { type Finding, quote } from '../../diagnostics/index.js';
import type { Comparison, Measure } from '../ast.js';
import { Domain } from '../domain.js';
import { type Fact, type Saying, sayingOf, sayingOfMeasure } from '../facts.js';
import type { ExpressionRule } from '../rule.js';
import { labelScope, type Scope } from '../scope.js';
import { leavesOf } from '../walk.js';

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
  check({ text, tree }) {
    const scope = labelScope(tree);
    const measures = tree.aggregate?.measures ?? [];
    const comparisons = (tree.match?.patterns ?? []).flatMap(({ condition, label }) =>
      sayingsOf(leavesOf(condition), { kind: 'pattern', label: label.text }),
    );
    const filtered =
      tree.filter === undefined ? [] : sayingsOf(leavesOf(tree.filter.condition), scope);
    const measured = measures.map((node) => ({ node, saying: sayingOfMeasure(node, scope) }));
    return [...comparisons, ...filtered, ...measured]
      .filter(({ saying }) => holdsAlways(saying))
      .map(({ node }): Finding => {
        const { span } = node;
        return {
          message: `everything satisfies ${quote(text.slice(span.start, span.end))}`,
          help: 'correct it, or delete it',
          span,
        };
      });
  },
};

interface Said {
  readonly node: Comparison | Measure;
  readonly saying: Saying;
}

function sayingsOf(leaves: ReturnType<typeof leavesOf>, scope: Scope): Said[] {
  return leaves.flatMap((node) =>
    node.kind === 'comparison' ? [{ node, saying: sayingOf(node, scope) }] : [],
  );
}

function holdsAlways(saying: Saying): boolean {
  if (saying.kind === 'constant') return saying.holds;
  return saying.facts.length === 1 && saying.facts.every(isCertain);
}

/**
 * Whether the opposite of a comparison with `count()` is impossible. Any other
 * subject may be missing or undefined, and every comparison with it false.
 */
function isCertain({ subject, stated }: Fact): boolean {
  if (!subject.nature.integer) return false;
  const opposite = { ...stated, comparator: OPPOSITES[stated.comparator] };
  return new Domain<string>(subject.nature).add(opposite, 'opposite') !== undefined;
}

const OPPOSITES = { '=': '!=', '!=': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;
