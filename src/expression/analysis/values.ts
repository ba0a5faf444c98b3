import { compareCodePoints } from '../../source/index.js';
import type { Comparator, Literal } from '../tree/ast.js';

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

/** Whether `a comparator b` holds, for an order of `a` and `b` as `compareValues` gives it. */
export function holds(order: number, comparator: Comparator): boolean {
  switch (comparator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** The comparator for the operands the other way round. */
export function flip(comparator: Comparator): Comparator {
  return FLIPPED[comparator];
}

const FLIPPED = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
