import { compareRationals, integerRoot, type Rational, toDouble, ZERO } from './number.js';

/** A number `rational + times * root(square)`, the form of sums and products with at most one square root. */
export interface Surd {
  readonly rational: Rational;
  readonly times: Rational;
  readonly square: Rational;
}

const ONE: Rational = { n: 1n, d: 1n };

export function toSurd(rational: Rational): Surd {
  return { rational, times: ZERO, square: ZERO };
}

/** Returns the square root of a non-negative fraction. */
export function makeRoot(square: Rational): Surd {
  return { rational: ZERO, times: ONE, square };
}

/** True if the surd is a fraction. */
export function isRational({ times, square }: Surd): boolean {
  return times.n === 0n || square.n === 0n;
}

/**
 * Applies an arithmetic operation. Returns undefined for a division by zero.
 *
 * @throws {RangeError} if both operands contain a root, or if the divisor does
 */
export function calculate(sign: '+' | '-' | '*' | '/', a: Surd, b: Surd): Surd | undefined {
  const [x, y] = [isRational(a), isRational(b)];
  if (!x && !y) throw new RangeError('two square roots on one side');
  const { square } = x ? b : a;
  switch (sign) {
    case '+':
      return { rational: add(a.rational, b.rational), times: add(a.times, b.times), square };
    case '-':
      return calculate('+', a, { ...b, rational: negate(b.rational), times: negate(b.times) });
    case '*': {
      const [factor, sum] = x ? [a.rational, b] : [b.rational, a];
      return {
        rational: multiply(factor, sum.rational),
        times: multiply(factor, sum.times),
        square,
      };
    }
    case '/': {
      if (!y) throw new RangeError('division by a square root');
      const { n, d } = b.rational;
      if (n === 0n) return undefined;
      return calculate('*', a, toSurd(n < 0n ? { n: -d, d: -n } : { n: d, d: n }));
    }
  }
}

function add(a: Rational, b: Rational): Rational {
  return a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

function negate({ n, d }: Rational): Rational {
  return { n: -n, d };
}

function multiply(a: Rational, b: Rational): Rational {
  return { n: a.n * b.n, d: a.d * b.d };
}

/** Compares two surds exactly, by squaring. Returns the sign of `a - b`. */
export function compareSurds(a: Surd, b: Surd): number {
  if (isRational(a) && isRational(b)) return compareRationals(a.rational, b.rational);
  // Compares x + y * root(s) with z * root(t).
  const x = add(a.rational, negate(b.rational));
  const leftSign = signWithRoot(x, a.times, a.square);
  const right = signOf(b.times) * signOf(b.square);
  if (leftSign !== right || leftSign === 0) return Math.sign(leftSign - right);
  const rootSquare = multiply(multiply(a.times, a.times), a.square);
  const otherSquare = multiply(multiply(b.times, b.times), b.square);
  const squares = add(add(multiply(x, x), rootSquare), negate(otherSquare));
  const mixedTerm = multiply({ n: 2n, d: 1n }, multiply(x, a.times));
  return leftSign * signWithRoot(squares, mixedTerm, a.square);
}

/** Returns the sign of `x + y * root(s)`. */
function signWithRoot(x: Rational, y: Rational, s: Rational): number {
  const [a, b] = [signOf(x), signOf(y) * signOf(s)];
  if (a === 0 || b === 0 || a === b) return a === 0 ? b : a;
  return a * compareRationals(multiply(x, x), multiply(multiply(y, y), s));
}

function signOf({ n }: Rational): number {
  return n < 0n ? -1 : n > 0n ? 1 : 0;
}

/** Number of binary fraction digits of a root that is added to a fraction. */
const ROOT_BITS = 1200n;

/** Converts a surd to the nearest double. Not exact for sums in which nearly all digits cancel. */
export function surdToDouble(surd: Surd): number {
  const { rational, times, square } = surd;
  if (isRational(surd)) return toDouble(rational);
  const { n, d } = multiply(multiply(times, times), square);
  const shifted = n << (2n * ROOT_BITS);
  const root = integerRoot(shifted / d);
  // An additional digit records whether a remainder follows the root's last digit.
  const isSquare = root * root * d === shifted;
  const digits = 2n * root + (isSquare ? 0n : 1n);
  return toDouble(add(rational, { n: BigInt(signOf(times)) * digits, d: 2n << ROOT_BITS }));
}
