import type { Attribute, Comparison, Condition, Located } from './ast.js';

export type Leaf = Comparison | Located;

/** The comparisons and events of a condition, in text order. */
export function leavesOf(condition: Condition): Leaf[] {
  const leaves: Leaf[] = [];
  collectLeaves(condition, leaves);
  return leaves;
}

/** Adds the comparisons and events of a condition to `leaves`, in text order. */
export function collectLeaves(condition: Condition, leaves: Leaf[]): void {
  if (isLeaf(condition)) {
    leaves.push(condition);
    return;
  }
  const { operands } = condition;
  for (let at = 0; at < operands.length; at += 1) collectLeaves(operands[at] as Condition, leaves);
}

export function isLeaf(condition: Condition): condition is Leaf {
  return condition.kind === 'comparison' || condition.kind === 'located';
}

/** The operands of an `and`, or the condition itself. */
export function conjunctsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.operands : [condition];
}

/** The attributes of a comparison. */
export function attributesOf({ left, right }: Comparison): Attribute[] {
  return [left, right].filter((operand) => operand.kind === 'attribute');
}
