import { listOf, quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../rule.js';
import type { Attribute, Located, Name, Operand } from '../tree/ast.js';
import { printName, printString } from '../tree/print.js';
import type { Tree } from '../tree/tree.js';
import { attributesIn } from '../tree/walk.js';

/** An attribute in FILTER or AGGREGATE that does not name its event. */
export const missingLabel: ExpressionRule = {
  meta: {
    id: 'expression/missing-label',
    severity: 'error',
    summary: 'an attribute in FILTER or AGGREGATE has no label',
    why: 'FILTER and AGGREGATE see all events of a match, so an attribute must name its event.',
    action: 'Write `label.attribute`.',
    examples: {
      fails: "MATCH (name = 'fault') AS f FILTER severity > 3",
      passes: "MATCH (name = 'fault') AS f FILTER f.severity > 3",
    },
  },
  check({ tree, context }, report) {
    const explain = (attribute: Attribute): Violation => unlabelled(attribute, tree);
    /** @param beside whether an attribute with a label stands on the other side */
    const reportIn = (operand: Operand, beside: boolean): void => {
      const perhapsString = beside && operand.kind === 'attribute';
      for (const attribute of attributesIn(operand)) {
        if (isUnlabelled(attribute)) report(unlabelled(attribute, tree, perhapsString));
      }
    };
    for (const leaf of context.inFilter) {
      if (leaf.kind === 'located') report(unlabelledEvent(leaf, tree));
      else {
        const { left, right } = leaf;
        if (isUnlabelled(left) && isUnlabelled(right)) {
          // Who forgets one label here forgets both.
          const { message, span } = explain(right);
          report({ ...explain(left), related: [{ message, span }] });
          continue;
        }
        reportIn(left, isLabelled(right));
        reportIn(right, isLabelled(left));
      }
    }
    for (const attribute of context.measured) {
      if (isUnlabelled(attribute)) report(unlabelled(attribute, tree));
    }
  },
};

function isUnlabelled(operand: Operand): operand is Attribute {
  return operand.kind === 'attribute' && operand.path.length === 1;
}

function isLabelled(operand: Operand): boolean {
  return operand.kind === 'attribute' && operand.path.length > 1;
}

function unlabelled({ path, span }: Attribute, tree: Tree, perhapsString = false): Violation {
  const name = path[0] as Name;
  const written = printName(name);
  if (tree.labels.some(({ text }) => text === name.text)) {
    const message = `${quote(name.text)} is a label, not an attribute`;
    return { message, help: `write an attribute of it, such as ${written}.severity`, span };
  }
  const quoted = perhapsString ? `, or ${printString(name.text)} if it is a string` : '';
  return {
    message: `the attribute ${quote(name.text)} has no label`,
    help: `write ${anyLabel(tree)}.${written}${labelList(tree)}${quoted}`,
    span,
  };
}

function unlabelledEvent({ event, probe, span }: Located, tree: Tree): Violation {
  const label = anyLabel(tree);
  const name = `${label}.name = ${printString(event.text)}`;
  return {
    message: `the event ${quote(event.text)} has no label`,
    help: `write ${name} AND ${label}.probe = ${printString(probe.text)}${labelList(tree)}`,
    span,
  };
}

/** The only label, or a word that stands for one. */
function anyLabel({ labels }: Tree): string {
  const [only, ...others] = labels;
  return only !== undefined && others.length === 0 ? printName(only) : 'label';
}

function labelList({ labels }: Tree): string {
  return labels.length < 2 ? '' : ` with the label ${listOf(labels.map(({ text }) => text))}`;
}
