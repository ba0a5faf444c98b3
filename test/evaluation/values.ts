import type { Comparator, NumberLiteral } from '../../src/expression/index.js';
import type { Value } from './model.js';

/* Values as the oracle compares them: exactly, in fractions that nobody shortens. */

/** A fraction, or an infinity: n / 0. */
export interface Num {
  readonly n: bigint;
  readonly d: bigint;
}

/** What an operand comes to. */
export type Scalar = Num | string | boolean | { readonly other: string };

/** Numbers as fractions, everything else as it is; NaN is missing. */
export function scalarOf(value: Value | undefined): Scalar | undefined {
  if (typeof value === 'bigint') return { n: value, d: 1n };
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : fromDouble(value);
  return value;
}

/** Doubles it until it is whole. */
function fromDouble(value: number): Num {
  if (!Number.isFinite(value)) return { n: value > 0 ? 1n : -1n, d: 0n };
  let [n, d] = [value, 1n];
  while (!Number.isInteger(n)) {
    n *= 2;
    d *= 2n;
  }
  return { n: BigInt(n), d };
}

/** A number as its digits say. */
export function asWritten(literal: NumberLiteral): Num {
  if (literal.kind === 'integer') return { n: literal.value, d: 1n };
  const [mantissa = '', exponent = '0'] = (literal.written ?? String(literal.value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift < 0
    ? { n: digits, d: 10n ** BigInt(-shift) }
    : { n: digits * 10n ** BigInt(shift), d: 1n };
}

export function isNum(value: Scalar | undefined): value is Num {
  return typeof value === 'object' && 'n' in value;
}

export function isFiniteNum(value: Scalar | undefined): value is Num {
  return isNum(value) && value.d !== 0n;
}

export function compareNums(a: Num, b: Num): number {
  if (a.d === 0n || b.d === 0n) {
    const sign = (x: Num) => (x.d === 0n ? Number(x.n) : 0);
    return sign(a) - sign(b);
  }
  return signOf(a.n * b.d - b.n * a.d);
}

/** Finite numbers; nothing where one is not, or for a division by zero. */
export function calculate(
  sign: '+' | '-' | '*' | '/',
  a: Scalar | undefined,
  b: Scalar | undefined,
): Num | undefined {
  if (!isFiniteNum(a) || !isFiniteNum(b)) return undefined;
  if (sign === '*') return { n: a.n * b.n, d: a.d * b.d };
  if (sign === '/') {
    if (b.n === 0n) return undefined;
    return b.n < 0n ? { n: -a.n * b.d, d: a.d * -b.n } : { n: a.n * b.d, d: a.d * b.n };
  }
  return { n: a.n * b.d + (sign === '+' ? b.n : -b.n) * a.d, d: a.d * b.d };
}

function signOf(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

export function holds(comparator: Comparator, sign: number): boolean {
  return {
    '=': sign === 0,
    '!=': sign !== 0,
    '<': sign < 0,
    '<=': sign <= 0,
    '>': sign > 0,
    '>=': sign >= 0,
  }[comparator];
}

export function compareValues(
  a: Scalar | undefined,
  comparator: Comparator,
  b: Scalar | undefined,
): boolean {
  if (a === undefined || b === undefined) return false;
  if (isNum(a) && isNum(b)) return holds(comparator, compareNums(a, b));
  if (typeof a === 'string' && typeof b === 'string') {
    return holds(comparator, compareCodePoints(a, b));
  }
  if (comparator !== '=' && comparator !== '!=') return false;
  if (typeof a === 'boolean' && typeof b === 'boolean') {
    return holds(comparator, Number(a) - Number(b));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || !('other' in a) || !('other' in b)) {
    return false;
  }
  return holds(comparator, a.other === b.other ? 0 : 1);
}

function compareCodePoints(a: string, b: string): number {
  const [x, y] = [[...a], [...b]];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const sign =
      ((x[at] as string).codePointAt(0) as number) - ((y[at] as string).codePointAt(0) as number);
    if (sign !== 0) return sign;
  }
  return x.length - y.length;
}

/** Whether a whole text is what a pattern of GLOB says, by trying every length for each star. */
export function matchesGlob(pattern: readonly string[], text: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return text.length === 0;
  if (head === '*') {
    return text.some((_, at) => matchesGlob(rest, text.slice(at))) || matchesGlob(rest, []);
  }
  const [first, ...left] = text;
  if (first === undefined) return false;
  if (head === '?') return matchesGlob(rest, left);
  if (head !== '[') return head === first && matchesGlob(rest, left);
  const isNegated = rest[0] === '!' || rest[0] === '^';
  const from = isNegated ? 1 : 0;
  const end = rest.indexOf(']', from + 1);
  const set = rest.slice(from, end);
  let isIn = false;
  for (let at = 0; at < set.length; at++) {
    const low = set[at] as string;
    const isRange = set[at + 1] === '-' && at + 2 < set.length;
    const high = (isRange ? set[at + 2] : low) as string;
    if (compareCodePoints(low, first) <= 0 && compareCodePoints(first, high) <= 0) isIn = true;
    if (isRange) at += 2;
  }
  return isIn !== isNegated && matchesGlob(rest.slice(end + 1), left);
}

/** What a term comes to: `plain + times * root(square)`. */
export interface Surd {
  readonly plain: Num;
  readonly times: Num;
  readonly square: Num;
}

export const ZERO: Num = { n: 0n, d: 1n };
export const ONE: Num = { n: 1n, d: 1n };

const plus = (a: Num, b: Num) => calculate('+', a, b) as Num;
const times = (a: Num, b: Num) => calculate('*', a, b) as Num;

/** The sign of `x + y * root(s)`. */
function signWithRoot(x: Num, y: Num, s: Num): number {
  const [a, b] = [signOf(x.n), signOf(y.n) * signOf(s.n)];
  if (a === 0 || b === 0 || a === b) return a === 0 ? b : a;
  const sign = compareNums(times(x, x), times(times(y, y), s));
  return a * sign;
}

/** The sign of `a - b`. */
export function compareSurds(a: Surd, b: Surd): number {
  const minus = (x: Num): Num => ({ n: -x.n, d: x.d });
  const x = plus(a.plain, minus(b.plain));
  // x + y * root(s) against z * root(t)
  const [y, s, z, t] = [a.times, a.square, b.times, b.square];
  const left = signWithRoot(x, y, s);
  const right = signOf(z.n) * signOf(t.n);
  if (left !== right || left === 0) return Math.sign(left - right);
  const squares = plus(plus(times(x, x), times(times(y, y), s)), minus(times(times(z, z), t)));
  const mixed = times({ n: 2n, d: 1n }, times(x, y));
  return left * signWithRoot(squares, mixed, s);
}
