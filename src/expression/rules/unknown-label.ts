import { type Finding, quote } from '../../diagnostics/index.js';
import type { Attribute, Name } from '../ast.js';
import type { ExpressionRule } from '../rule.js';
import { labelHelp } from '../scope.js';
import type { Tree } from '../tree.js';
import { attributesOf } from '../walk.js';

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
  check({ tree, survey }) {
    if (!tree.labelsComplete) return [];
    const unknown: Name[] = [];
    const use = (label: Name): void => {
      if (!survey.bound.has(label.text)) unknown.push(label);
    };
    const useFirst = ({ path }: Attribute): void => {
      if (path.length > 1) use(path[0] as Name);
    };
    for (const { labels } of tree.when?.chains ?? []) for (const label of labels) use(label);
    for (const leaf of survey.inFilter) {
      if (leaf.kind === 'comparison') attributesOf(leaf).forEach(useFirst);
    }
    for (const attribute of survey.measured) useFirst(attribute);
    return unknown.length === 0 ? [] : explain(unknown, tree);
  },
};

function explain(unknown: readonly Name[], tree: Tree): Finding[] {
  const helpFor = labelHelp(tree);
  return unknown.map(({ text, span }) => {
    const help = helpFor(text);
    const message = `no pattern has the label ${quote(text)}`;
    return { message, ...(help !== undefined && { help }), span };
  });
}
