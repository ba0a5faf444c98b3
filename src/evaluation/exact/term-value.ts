import { type Carried, type Comparator, holds, printString } from '../../expression/index.js';
import { compareCodePoints } from '../../source/index.js';
import { type ExactNumber, type Rational, toDouble, toRational } from './number.js';
import type { SumsTotal } from './sums.js';
import {
  calculate,
  compareSurds,
  isRational,
  makeRoot,
  type Surd,
  surdToDouble,
  toSurd,
} from './surd.js';

/** The value of an AGGREGATE term. A `surd` contains a square root, for example from stddev. */
export type TermValue =
  | { readonly is: 'undefined' }
  | { readonly is: 'number'; readonly value: Rational }
  | { readonly is: 'surd'; readonly value: Surd }
  | { readonly is: 'infinite'; readonly sign: 1 | -1 }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean };

export const UNDEFINED: TermValue = { is: 'undefined' };

export function valueOfNumber(value: ExactNumber): TermValue {
  if (value === Number.POSITIVE_INFINITY) return { is: 'infinite', sign: 1 };
  if (value === Number.NEGATIVE_INFINITY) return { is: 'infinite', sign: -1 };
  return { is: 'number', value: toRational(value) };
}

export function valueOfConstant(value: ExactNumber | string | boolean): TermValue {
  if (typeof value === 'string') return { is: 'text', text: value };
  if (typeof value === 'boolean') return { is: 'boolean', value };
  return valueOfNumber(value);
}

/**
 * Returns the value of a function of moments. One infinity among the values makes the result infinite. Both infinities
 * make the result undefined, as does one infinity if the function requires squares.
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
  const value = result(total);
  return isRoot ? { is: 'surd', value: makeRoot(value) } : { is: 'number', value };
}

/**
 * Applies an arithmetic operation. The result is undefined if an operand is not a finite number, and for a division by
 * zero.
 */
export function calculateTerms(
  sign: '+' | '-' | '*' | '/',
  left: TermValue,
  right: TermValue,
): TermValue {
  const [a, b] = [surdIn(left), surdIn(right)];
  const value = a && b && calculate(sign, a, b);
  if (value === undefined) return UNDEFINED;
  return isRational(value) ? { is: 'number', value: value.rational } : { is: 'surd', value };
}

function surdIn(value: TermValue): Surd | undefined {
  if (value.is === 'surd') return value.value;
  return value.is === 'number' ? toSurd(value.value) : undefined;
}

/** True if a comparison of two terms holds. False if the terms differ in kind, or if one of them is undefined. */
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

/** Returns a number with the sign of `a - b`; undefined unless both values are numbers. */
export function compareNumbers(a: TermValue, b: TermValue): number | undefined {
  const [x, y] = [surdIn(a), surdIn(b)];
  if (x !== undefined && y !== undefined) return compareSurds(x, y);
  if (!isNumber(a) || !isNumber(b)) return undefined;
  const infinity = (value: TermValue) => (value.is === 'infinite' ? value.sign : 0);
  return infinity(a) - infinity(b);
}

export function isNumber({ is }: TermValue): boolean {
  return is === 'number' || is === 'surd' || is === 'infinite';
}

/**
 * Returns a comparison's relative margin: the distance between the sides, divided by the larger of their magnitudes.
 * The margin is 0 if both sides are 0, and negative if the comparison is false. Returns undefined if a side is not a
 * finite number, or is out of range for a double.
 */
export function marginOf(
  left: TermValue,
  comparator: Comparator,
  right: TermValue,
): number | undefined {
  const [a, b] = [surdIn(left), surdIn(right)];
  if (a === undefined || b === undefined) return undefined;
  const [x, y] = [surdToDouble(a), surdToDouble(b)];
  const areSafe = Number.isSafeInteger(x) && Number.isSafeInteger(y);
  const isExact = !areSafe && (isRational(a) || isRational(b));
  const difference = isExact ? surdToDouble(calculate('-', b, a) as Surd) : y - x;
  const magnitude = Math.max(Math.abs(x), Math.abs(y));
  const margin = magnitude === 0 ? 0 : difference / magnitude;
  if (!Number.isFinite(margin)) return undefined;
  // Subtracts from 0 to avoid a negative zero.
  if (comparator === '=') return 0 - Math.abs(margin);
  if (comparator === '!=') return Math.abs(margin);
  return comparator === '<' || comparator === '<=' ? margin : 0 - margin;
}

/** Formats a term's value: an integer in full, any other number as the nearest double, a text in quotes. */
export function showTerm(term: TermValue): string {
  switch (term.is) {
    case 'undefined':
      return 'undefined';
    case 'text':
      return printString(term.text);
    case 'boolean':
      return String(term.value);
    case 'infinite':
      return term.sign > 0 ? 'Infinity' : '-Infinity';
    case 'surd':
      return String(surdToDouble(term.value));
    case 'number': {
      const { n, d } = term.value;
      return n % d === 0n ? String(n / d) : String(toDouble(term.value));
    }
  }
}
