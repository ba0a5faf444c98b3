import { quote } from '../../diagnostics/index.js';
import { Components } from '../analysis/components.js';
import type { ExpressionRule } from '../rule.js';
import type { Condition, Name } from '../tree/ast.js';
import type { Tree } from '../tree/tree.js';
import { attributesOf, conjunctsOf, leavesOf } from '../tree/walk.js';

/** Patterns that nothing ties together. */
export const cartesianProduct: ExpressionRule = {
  meta: {
    id: 'expression/cartesian-product',
    severity: 'warning',
    summary: 'neither WHEN nor FILTER ties two groups of patterns together',
    why: 'The result is every combination of their events, which is large and rarely what was meant.',
    action: 'Order the events in WHEN, or compare their attributes in FILTER.',
    examples: {
      fails: "MATCH (name = 'fault') AS f, (name = 'reset') AS r",
      passes: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r",
    },
  },
  check({ tree, context: { bound, labelsInPatterns } }, report) {
    const { labels, broken } = tree;
    if (bound.size < 2) return;
    if (broken.has('match') || broken.has('when') || broken.has('filter')) return;
    // A comparison that belongs in FILTER would tie them.
    if (labelsInPatterns.length > 0) return;
    const groups = new Components<string>();
    for (const together of tied(tree)) {
      // A misspelt or missing label may be what was to tie the groups.
      if (together.some((name) => !bound.has(name))) return;
      groups.join(together);
    }
    const members = new Map<string, Group>();
    for (const label of labels) {
      const root = groups.rootOf(label.text);
      const group = members.get(root);
      if (group === undefined) members.set(root, [label]);
      else group.push(label);
    }
    const [first, ...others] = members.values();
    const main = first?.[0];
    if (first === undefined || main === undefined) return;
    for (const group of others) {
      report({
        message: `nothing ties ${describe(group)} to ${describe(first)}`,
        help: 'order them in WHEN, or compare their attributes in FILTER',
        span: group[0].span,
        related: [{ message: 'not tied to this', span: main.span }],
      });
    }
  },
};

type Group = [Name, ...Name[]];

/** `"a"`, `"a" and "b"`, `"a" and 2 more` */
function describe([first, second, ...others]: Group): string {
  if (second === undefined) return quote(first.text);
  const rest = others.length === 0 ? quote(second.text) : `${others.length + 1} more`;
  return `${quote(first.text)} and ${rest}`;
}

/** The labels that belong together, group by group. */
function tied({ when, filter }: Tree): string[][] {
  const chains = when?.chains ?? [];
  const conjuncts = filter === undefined ? [] : conjunctsOf(filter.condition);
  return [...chains.map(({ labels }) => labels.map(({ text }) => text)), ...conjuncts.map(namesIn)];
}

/** All the labels of a comparison; of an `or` together, for any branch may tie them. */
function namesIn(condition: Condition): string[] {
  return leavesOf(condition).flatMap((leaf) =>
    leaf.kind === 'comparison' ? attributesOf(leaf).map(({ path }) => (path[0] as Name).text) : [],
  );
}
