import { quote } from '../../diagnostics/index.js';
import type { Name } from '../ast.js';
import type { ExpressionRule } from '../rule.js';
import { labelHelp } from '../scope.js';
import type { Tree } from '../tree.js';
import { attributesOf, leavesOf, measuredAttributes } from '../walk.js';

/** A label that MATCH does not bind. */
export const unknownLabel: ExpressionRule = {
  meta: {
    id: 'expression/unknown-label',
    severity: 'error',
    summary: 'WHEN, FILTER or AGGREGATE names a label that MATCH does not bind',
    why: 'The label stands for no event, so the clause has no meaning.',
    action: 'Correct the label, or bind it with `AS` in MATCH.',
    examples: {
      fails: "MATCH (name = 'fault') AS fault FILTER falt.severity > 3",
      passes: "MATCH (name = 'fault') AS fault FILTER fault.severity > 3",
    },
  },
  check({ tree }) {
    if (!tree.labelsComplete) return [];
    const bound = new Set(tree.labels.map(({ text }) => text));
    const helpFor = labelHelp(tree);
    return labelsUsed(tree)
      .filter(({ text }) => !bound.has(text))
      .map(({ text, span }) => {
        const help = helpFor(text);
        const message = `no pattern has the label ${quote(text)}`;
        return { message, ...(help !== undefined && { help }), span };
      });
  },
};

function labelsUsed(tree: Tree): Name[] {
  const ordered = tree.when?.chains.flatMap(({ labels }) => labels) ?? [];
  const filtered = tree.filter === undefined ? [] : leavesOf(tree.filter.condition);
  const attributes = [
    ...filtered.flatMap((leaf) => (leaf.kind === 'comparison' ? attributesOf(leaf) : [])),
    ...measuredAttributes(tree),
  ];
  const firsts = attributes.flatMap(({ path }) => (path.length > 1 ? path.slice(0, 1) : []));
  return [...ordered, ...firsts];
}
