import { compareRationals, integerRoot, type Rational, toDouble, ZERO } from './number.js';

/** `plain + times * root(square)`: the form of sums and products with at most one square root. */
export interface Surd {
  readonly plain: Rational;
  readonly times: Rational;
  readonly square: Rational;
}

const ONE: Rational = { n: 1n, d: 1n };

export function surdOf(plain: Rational): Surd {
  return { plain, times: ZERO, square: ZERO };
}

/** Returns the square root of a fraction that is not negative. */
export function rootOf(square: Rational): Surd {
  return { plain: ZERO, times: ONE, square };
}

/** True if it is a fraction. */
export function isRational({ times, square }: Surd): boolean {
  return times.n === 0n || square.n === 0n;
}

/**
 * Applies one of the four operations; undefined for a division by zero.
 *
 * @throws {RangeError} if the result would have two roots, or a root is a divisor
 */
export function calculate(sign: '+' | '-' | '*' | '/', a: Surd, b: Surd): Surd | undefined {
  const [x, y] = [isRational(a), isRational(b)];
  if (!x && !y) throw new RangeError('two square roots on one side');
  const { square } = x ? b : a;
  switch (sign) {
    case '+':
      return { plain: add(a.plain, b.plain), times: add(a.times, b.times), square };
    case '-':
      return calculate('+', a, { ...b, plain: negate(b.plain), times: negate(b.times) });
    case '*': {
      const [factor, other] = x ? [a.plain, b] : [b.plain, a];
      return {
        plain: multiply(factor, other.plain),
        times: multiply(factor, other.times),
        square,
      };
    }
    case '/': {
      if (!y) throw new RangeError('a square root is a divisor');
      const { n, d } = b.plain;
      if (n === 0n) return undefined;
      return calculate('*', a, surdOf(n < 0n ? { n: -d, d: -n } : { n: d, d: n }));
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

/** Returns the sign of `a - b`, by squares, without rounding. */
export function compareSurds(a: Surd, b: Surd): number {
  if (isRational(a) && isRational(b)) return compareRationals(a.plain, b.plain);
  // x + y * root(s) against z * root(t)
  const x = add(a.plain, negate(b.plain));
  const left = signWithRoot(x, a.times, a.square);
  const right = signOf(b.times) * signOf(b.square);
  if (left !== right || left === 0) return Math.sign(left - right);
  const ofRoot = multiply(multiply(a.times, a.times), a.square);
  const ofOther = multiply(multiply(b.times, b.times), b.square);
  const squares = add(add(multiply(x, x), ofRoot), negate(ofOther));
  const mixed = multiply({ n: 2n, d: 1n }, multiply(x, a.times));
  return left * signWithRoot(squares, mixed, a.square);
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

/** The number of binary digits after the point of a root that is added to a fraction. */
const ROOT_BITS = 1200n;

/** Rounds for people: the nearest double, except for sums in which nearly all digits cancel. */
export function surdToDouble(surd: Surd): number {
  const { plain, times, square } = surd;
  if (isRational(surd)) return toDouble(plain);
  const { n, d } = multiply(multiply(times, times), square);
  const scaled = n << (2n * ROOT_BITS);
  const root = integerRoot(scaled / d);
  // One more digit shows if a remainder follows the last one.
  const isWhole = root * root * d === scaled;
  const digits = 2n * root + (isWhole ? 0n : 1n);
  return toDouble(add(plain, { n: BigInt(signOf(times)) * digits, d: 2n << ROOT_BITS }));
}
