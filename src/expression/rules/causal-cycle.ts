import { quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { cyclesOf, type Edge } from '../analysis/cycles.js';
import type { Scope } from '../analysis/scope.js';
import type { ExpressionRule } from '../rule.js';
import type { Tree } from '../tree/tree.js';

/** Orders of WHEN that go in a circle. */
export const causalCycle: ExpressionRule = {
  meta: {
    id: 'expression/causal-cycle',
    severity: 'error',
    summary: 'WHEN orders events in a circle',
    why: 'No event happens before itself, so the expression can never be true.',
    action: 'Reverse one of the arrows, or delete it.',
    examples: {
      fails: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r AND r -> f",
      passes: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r",
    },
  },
  check({ tree, context }, report) {
    if (tree.when === undefined) return;
    const { arrows, labels } = arrowsOf(tree, context.scope);
    for (const { closing, others } of cyclesOf(arrows, labels.length)) {
      const label = quote(labels[closing.to] as string);
      const steps = [...others, closing];
      const shown = steps.length > MOST_STEPS ? [] : [closing.to, ...steps.map(({ to }) => to)];
      const circle = shown.map((node) => labels[node]).join(' -> ');
      report({
        message: `${label} would have to happen before itself`,
        help:
          shown.length > 0
            ? `reverse or delete an arrow of the circle ${quote(circle)}`
            : 'reverse or delete an arrow of the circle',
        span: closing.span,
        ...(others.length > 0 && {
          related: others.map(({ span }) => ({ message: 'part of the circle', span })),
        }),
      });
    }
  },
};

const MOST_STEPS = 6;

interface Arrow extends Edge {
  readonly span: Span;
}

/** The arrows between labels that are bound, in text order, each order once. */
function arrowsOf(
  { when }: Tree,
  scope: Scope,
): { readonly arrows: Arrow[]; readonly labels: readonly string[] } {
  const ids = new Map<string, number>();
  const seen = new Set<string>();
  const arrows: Arrow[] = [];
  const idOf = (label: string) => {
    const id = ids.get(label) ?? ids.size;
    ids.set(label, id);
    return id;
  };
  for (const chain of when?.chains ?? []) {
    const bound = chain.labels.map(({ text }) =>
      scope.kind === 'labels' && scope.isLabel(text) ? idOf(text) : undefined,
    );
    chain.arrows.forEach((span, at) => {
      const [from, to] = [bound[at], bound[at + 1]];
      if (from === undefined || to === undefined || seen.has(`${from} ${to}`)) return;
      seen.add(`${from} ${to}`);
      arrows.push({ from, to, span });
    });
  }
  return { arrows, labels: [...ids.keys()] };
}
