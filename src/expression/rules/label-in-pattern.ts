import { quote, type Violation } from '../../diagnostics/index.js';
import type { LabelInPattern } from '../analysis/labels-in-patterns.js';
import type { ExpressionRule } from '../rule.js';
import type { Attribute, Comparison, Name } from '../tree/ast.js';
import { printCondition, printOperand } from '../tree/print.js';

/** An attribute of a pattern that names the event it is of. */
export const labelInPattern: ExpressionRule = {
  meta: {
    id: 'expression/label-in-pattern',
    severity: 'warning',
    summary: 'an attribute in MATCH begins with a label',
    why: 'A pattern sees one event only and knows no labels, so the attribute is one that no event has.',
    action:
      'Leave the label out where the event of the pattern is meant, compare two events in FILTER, or write the first name in backquotes if the attribute has that name.',
    examples: {
      fails: 'MATCH (fault.severity > 3) AS fault',
      passes: 'MATCH (severity > 3) AS fault',
    },
  },
  check({ context: { bound, labelsInPatterns } }, report) {
    for (const found of labelsInPatterns) report(explain(found, bound));
  },
};

function explain(found: LabelInPattern, bound: ReadonlySet<string>): Violation {
  const { attribute, label, comparison, pattern } = found;
  const { span } = label;
  const message = `a pattern sees one event: the label ${quote(label.text)} means nothing here`;
  if (label.text === pattern.label.text) {
    const own = printOperand({ ...attribute, path: attribute.path.slice(1) });
    return { message, help: `write ${own}`, span };
  }
  const compared = printCondition(withLabel(comparison, pattern.label, bound));
  return { message, help: `compare events in FILTER: ${compared}`, span };
}

/** A comparison of a pattern as FILTER has it: each attribute with the label of its event. */
function withLabel(comparison: Comparison, own: Name, bound: ReadonlySet<string>): Comparison {
  const attribute = (one: Attribute): Attribute =>
    one.path.length > 1 && bound.has((one.path[0] as Name).text)
      ? one
      : { ...one, path: [own, ...one.path] };
  const operand = <T extends Comparison['left']>(side: T): T | Attribute =>
    side.kind === 'attribute' ? attribute(side) : side;
  const left = operand(comparison.left);
  const right = operand(comparison.right);
  return { ...comparison, left, right };
}
