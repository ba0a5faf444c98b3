import { type Carried, type Comparator, holds } from '../../expression/index.js';
import { compareCodePoints } from '../../source/index.js';
import {
  compareRationals,
  type Exact,
  type Rational,
  rootToDouble,
  toDouble,
  toRational,
} from './number.js';
import type { SumsTotal } from './sums.js';

/** What a term of AGGREGATE comes to. `root` is the square root of its fraction (stddev). */
export type TermValue =
  | { readonly is: 'undefined' }
  | { readonly is: 'number'; readonly value: Rational }
  | { readonly is: 'root'; readonly value: Rational }
  | { readonly is: 'infinite'; readonly sign: 1 | -1 }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean };

export const UNDEFINED: TermValue = { is: 'undefined' };

export function valueOfNumber(value: Exact): TermValue {
  if (value === Number.POSITIVE_INFINITY) return { is: 'infinite', sign: 1 };
  if (value === Number.NEGATIVE_INFINITY) return { is: 'infinite', sign: -1 };
  return { is: 'number', value: toRational(value) };
}

export function valueOfConstant(value: Exact | string | boolean): TermValue {
  if (typeof value === 'string') return { is: 'text', text: value };
  if (typeof value === 'boolean') return { is: 'boolean', value };
  return valueOfNumber(value);
}

/**
 * What a function comes to of such sums. An infinite value makes it infinite; both infinities
 * make it undefined, and either does where squares are asked for.
 */
export function valueOfMoments(
  { squares, isRoot, result }: Extract<Carried, { kind: 'moments' }>,
  fewest: bigint,
  total: SumsTotal,
): TermValue {
  const { count, plus, minus } = total;
  if (count < fewest) return UNDEFINED;
  if (plus || minus) {
    if (squares || (plus && minus)) return UNDEFINED;
    return { is: 'infinite', sign: plus ? 1 : -1 };
  }
  return { is: isRoot ? 'root' : 'number', value: result(total) };
}

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
