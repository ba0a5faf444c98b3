import type { Comparator, Literal } from '../tree/ast.js';

/** The kinds of values that can be compared with each other; integers and floats are one. */
export type Kind = 'number' | 'string' | 'boolean';

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

/** Strings by code point: UTF-16 units order U+E000 to U+FFFF after the surrogates. */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === shorter) return a.length - b.length;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
