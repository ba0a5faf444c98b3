import type { Comparator } from './ast.js';

/** Whether a comparison holds, given the sign of left less right. */
export function holds(comparator: Comparator, sign: number): boolean {
  switch (comparator) {
    case '=':
      return sign === 0;
    case '!=':
      return sign !== 0;
    case '<':
      return sign < 0;
    case '<=':
      return sign <= 0;
    case '>':
      return sign > 0;
    case '>=':
      return sign >= 0;
  }
}

/** The same comparison with its sides exchanged. */
export const MIRRORED: Readonly<Record<Comparator, Comparator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
