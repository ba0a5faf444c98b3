import { quote, type ReportFn, suggester } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../rule.js';
import type { Name, Operand } from '../tree/ast.js';
import type { Tree } from '../tree/tree.js';
import { attributesIn } from '../tree/walk.js';

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
  check({ tree, context }, report) {
    if (!tree.labelsComplete) return;
    const used: Name[] = [];
    for (const { labels } of tree.when?.chains ?? []) for (const label of labels) used.push(label);
    for (const leaf of context.inFilter) {
      if (leaf.kind === 'located') continue;
      addLabels(leaf.left, used);
      addLabels(leaf.right, used);
    }
    for (const attribute of context.measured) addLabels(attribute, used);
    const unknown = used.filter(({ text }) => !context.bound.has(text));
    if (unknown.length > 0) explain(unknown, tree, report);
  },
};

function addLabels(operand: Operand, labels: Name[]): void {
  for (const { path } of attributesIn(operand)) {
    if (path.length > 1) labels.push(path[0] as Name);
  }
}

function explain(unknown: readonly Name[], tree: Tree, report: ReportFn): void {
  const helpFor = suggester([...new Set(tree.labels.map(({ text }) => text))]);
  for (const { text, span } of unknown) {
    const help = helpFor(text);
    const message = `no pattern has the label ${quote(text)}`;
    report({ message, ...(help !== undefined && { help }), span });
  }
}
