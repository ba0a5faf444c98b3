import type { Comparator, Comparison, Measure, Operand, Term } from '../tree/ast.js';
import { FUNCTIONS } from '../tree/functions.js';
import { kindOfAttribute, type Scope } from './scope.js';
import { type Kind, kindOfLiteral } from './values.js';

/** Why the kinds of a comparison forbid it: the kinds differ, or have no order. */
export type Mismatch =
  | { readonly kind: 'differ'; readonly left: Kind; readonly right: Kind }
  | { readonly kind: 'unordered' };

/** The mismatch of a comparison or a measure, as far as its kinds are known. */
export function mismatchOf(node: Comparison | Measure, scope: Scope): Mismatch | undefined {
  return clash(kindOf(node.left, scope), node.comparator, kindOf(node.right, scope));
}

function kindOf(operand: Operand | Term, scope: Scope): Kind | undefined {
  if (operand.kind === 'attribute') return kindOfAttribute(operand, scope);
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
