import { type Finding, listOf, quote } from '../../diagnostics/index.js';
import type { Attribute, Located, Operand } from '../ast.js';
import { printName, printString } from '../print.js';
import type { ExpressionRule } from '../rule.js';
import type { Tree } from '../tree.js';

/** An attribute in FILTER or AGGREGATE that does not say of which event. */
export const missingLabel: ExpressionRule = {
  meta: {
    id: 'expression/missing-label',
    severity: 'error',
    summary: 'an attribute in FILTER or AGGREGATE stands without a label',
    why: 'FILTER and AGGREGATE see all events of a match, so an attribute must say of which event it is.',
    action: 'Write `label.attribute`.',
    examples: {
      fails: "MATCH (name = 'fault') AS f FILTER severity > 3",
      passes: "MATCH (name = 'fault') AS f FILTER f.severity > 3",
    },
  },
  check({ tree, survey }) {
    const findings: Finding[] = [];
    for (const leaf of survey.inFilter) {
      if (leaf.kind === 'located') findings.push(unlabelledEvent(leaf, tree));
      else {
        findings.push(
          ...inOperand(leaf.left, leaf.right, tree),
          ...inOperand(leaf.right, leaf.left, tree),
        );
      }
    }
    for (const attribute of survey.measured) findings.push(...inAttribute(attribute, tree));
    return findings;
  },
};

function inOperand(operand: Operand, other: Operand, tree: Tree): readonly Finding[] {
  if (operand.kind !== 'attribute') return NONE;
  return inAttribute(operand, tree, other.kind === 'attribute' && other.path.length > 1);
}

const NONE: readonly Finding[] = [];

function inAttribute(attribute: Attribute, tree: Tree, perhapsString = false): readonly Finding[] {
  const [name] = attribute.path;
  if (name === undefined || attribute.path.length > 1) return NONE;
  const written = printName(name);
  if (tree.labels.some(({ text }) => text === name.text)) {
    const message = `${quote(name.text)} is a label, not an attribute`;
    const help = `write an attribute of it, such as ${written}.severity`;
    return [{ message, help, span: attribute.span }];
  }
  const quoted = perhapsString ? `, or ${printString(name.text)} if it is a string` : '';
  return [
    {
      message: `the attribute ${quote(name.text)} has no label`,
      help: `write ${anyLabel(tree)}.${written}${labelList(tree)}${quoted}`,
      span: attribute.span,
    },
  ];
}

function unlabelledEvent({ event, probe, span }: Located, tree: Tree): Finding {
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
