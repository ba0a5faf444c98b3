import { type Comparator, holds } from '../../expression/index.js';
import { compareCodePoints } from '../../source/index.js';
import { compareRationals, type Rational, rootToDouble, toDouble } from './rational.js';

/** What a term of AGGREGATE comes to. `root` is the square root of its fraction (stddev). */
export type TermValue =
  | { readonly is: 'undefined' }
  | { readonly is: 'number'; readonly value: Rational }
  | { readonly is: 'root'; readonly value: Rational }
  | { readonly is: 'infinite'; readonly sign: 1 | -1 }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean };

/** Whether a comparison of two terms is true; it is false between kinds, and of what is undefined. */
export function termsHold(left: TermValue, comparator: Comparator, right: TermValue): boolean {
  if (left.is === 'text' && right.is === 'text') {
    return holds(comparator, compareCodePoints(left.text, right.text));
  }
  if (left.is === 'boolean' && right.is === 'boolean') {
    const isEqual = left.value === right.value;
    return comparator === '=' ? isEqual : comparator === '!=' && !isEqual;
  }
  const sign = compareNumbers(left, right);
  return sign !== undefined && holds(comparator, sign);
}

/** The sign of `a - b`, where both are numbers. A root is compared by its square, never rounded. */
function compareNumbers(a: TermValue, b: TermValue): number | undefined {
  if (!isNumber(a) || !isNumber(b)) return undefined;
  const infinity = (value: TermValue) => (value.is === 'infinite' ? value.sign : 0);
  if (a.is === 'infinite' || b.is === 'infinite') return infinity(a) - infinity(b);
  if (a.is === 'root' && b.is === 'number') return compareRoot(a.value, b.value);
  if (a.is === 'number' && b.is === 'root') return -compareRoot(b.value, a.value);
  return compareRationals(a.value, b.value);
}

type NumberValue = Extract<TermValue, { is: 'number' | 'root' | 'infinite' }>;

function isNumber(value: TermValue): value is NumberValue {
  return value.is === 'number' || value.is === 'root' || value.is === 'infinite';
}

/** The sign of the root of `square` less `other`. */
function compareRoot(square: Rational, other: Rational): number {
  if (other.n < 0n) return 1;
  return compareRationals(square, { n: other.n * other.n, d: other.d * other.d });
}

/** For people: an integer in full, any other number as the nearest double. */
export function showTerm(term: TermValue): string {
  switch (term.is) {
    case 'undefined':
      return 'undefined';
    case 'text':
      return term.text;
    case 'boolean':
      return String(term.value);
    case 'infinite':
      return term.sign > 0 ? 'Infinity' : '-Infinity';
    case 'root':
      return String(rootToDouble(term.value));
    case 'number': {
      const { n, d } = term.value;
      return n % d === 0n ? String(n / d) : String(toDouble(term.value));
    }
  }
}
