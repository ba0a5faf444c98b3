import { FUNCTIONS } from '../functions/index.js';
import type {
  Attribute,
  Comparator,
  Comparison,
  Literal,
  Measure,
  Operand,
  Term,
} from '../tree/ast.js';
import { summandsOf } from '../tree/walk.js';
import { kindOfAttribute, type Scope } from './scope.js';
import { type Kind, kindOfLiteral } from './values.js';

/** Why the kinds of a comparison forbid it: the kinds differ, or have no order. */
export type Mismatch =
  | { readonly kind: 'differ'; readonly left: Kind; readonly right: Kind }
  | { readonly kind: 'unordered' }
  /** A sum or a difference with a summand that is not a number. */
  | { readonly kind: 'summand'; readonly summand: Attribute | Literal; readonly is: Kind };

/** The mismatch of a comparison or a measure, as far as its kinds are known. */
export function mismatchOf(node: Comparison | Measure, scope: Scope): Mismatch | undefined {
  return (
    inArithmetic(node.left, scope) ??
    inArithmetic(node.right, scope) ??
    clash(kindOf(node.left, scope), node.comparator, kindOf(node.right, scope))
  );
}

/** A summand that is not a number, also in the argument of a function. */
function inArithmetic(side: Operand | Term, scope: Scope): Mismatch | undefined {
  const operand = side.kind === 'call' ? side.argument : side;
  if (operand?.kind !== 'arithmetic') return undefined;
  for (const summand of summandsOf(operand)) {
    const is = kindOf(summand, scope);
    if (is !== undefined && is !== 'number') return { kind: 'summand', summand, is };
  }
  return undefined;
}

function kindOf(operand: Operand | Term, scope: Scope): Kind | undefined {
  if (operand.kind === 'attribute') return kindOfAttribute(operand, scope);
  if (operand.kind === 'arithmetic') return 'number';
  if (operand.kind !== 'call') return kindOfLiteral(operand);
  return FUNCTIONS.has(operand.name.text) ? 'number' : undefined;
}

function clash(
  left: Kind | undefined,
  comparator: Comparator,
  right: Kind | undefined,
): Mismatch | undefined {
  if (left !== undefined && right !== undefined && left !== right) {
    return { kind: 'differ', left, right };
  }
  const equality = comparator === '=' || comparator === '!=';
  return !equality && (left === 'boolean' || right === 'boolean')
    ? { kind: 'unordered' }
    : undefined;
}
