import { compareCodePoints } from '../../source/index.js';
import type { Literal } from '../tree/ast.js';

/** The kinds of values that can be compared with each other; integers and floats are one. */
export type Kind = 'number' | 'string' | 'boolean';

/** The kind of a literal; times are numbers. */
export function kindOfLiteral(literal: Literal): Kind {
  return literal.kind === 'string' || literal.kind === 'boolean' ? literal.kind : 'number';
}

/** A value that has an order. JavaScript compares integers with floats exactly. */
export type Ordered = bigint | number | string;

/** Negative, zero or positive; both are numbers, or both are strings. */
export function compareValues(a: Ordered, b: Ordered): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}
