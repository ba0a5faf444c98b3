import { Undecided } from './undecided.js';

/** A fraction: `n / d` with `d > 0`, not necessarily reduced. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export const ZERO: Rational = { n: 0n, d: 1n };

/** Returns the sign of `a - b`. */
export function compareRationals(a: Rational, b: Rational): number {
  const leftProduct = a.n * b.d;
  const right = b.n * a.d;
  return leftProduct < right ? -1 : leftProduct > right ? 1 : 0;
}

/** Limit up to which doubles represent every integer. */
const EXACT_LIMIT = 2n ** 53n;

/**
 * Converts a fraction to the nearest double, with ties to even as in IEEE 754. Returns an infinity beyond the range of
 * doubles.
 */
export function toDouble({ n, d }: Rational): number {
  if (n < 0n) return -toDouble({ n: -n, d });
  if (n === 0n) return 0;
  // IEEE 754 rounds a quotient of two doubles correctly.
  if (n < EXACT_LIMIT && d < EXACT_LIMIT) return Number(n) / Number(d);
  // The exponent of the double's last bit. A double has 53 bits, a subnormal double fewer.
  const exponent = Math.max(bitLength(n) - bitLength(d) - 53, -1074);
  const shifted = shiftUp({ n, d }, -exponent);
  // The quotient has 53 or 54 bits. With 54 bits, the last bit and the remainder determine the rounding.
  const tooLong = shifted.n / shifted.d >= EXACT_LIMIT ? 1 : 0;
  const unit = shifted.d << BigInt(tooLong);
  let quotient = shifted.n / unit;
  const doubledRest = (shifted.n - quotient * unit) * 2n;
  if (doubledRest > unit || (doubledRest === unit && (quotient & 1n) === 1n)) quotient += 1n;
  return scale(Number(quotient), exponent + tooLong);
}

/** Returns `value * 2 ** exponent`. Multiplies in two steps if a single power would be out of range. */
function scale(value: number, exponent: number): number {
  if (exponent > 1023) return value * 2 ** 1000 * 2 ** (exponent - 1000);
  // The value has few enough bits for a subnormal, so neither step rounds.
  if (exponent < -1000) return value * 2 ** -900 * 2 ** (exponent + 900);
  return value * 2 ** exponent;
}

/** Multiplies a fraction by a power of two. */
export function shiftUp({ n, d }: Rational, bits: number): Rational {
  return bits >= 0 ? { n: n << BigInt(bits), d } : { n, d: d << BigInt(-bits) };
}

/** Returns an integer's square root, rounded down, by Newton's method from above; 0 for a negative integer. */
export function integerRoot(square: bigint): bigint {
  if (square <= 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(bitLength(square) / 2));
  for (;;) {
    const nextRoot = (root + square / root) >> 1n;
    if (nextRoot >= root) return root;
    root = nextRoot;
  }
}

/** Returns the number of binary digits of a positive integer. */
export function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] as string, 16)));
}

/**
 * An exact number in its canonical form: a double if a double represents it exactly (including infinities), otherwise a
 * bigint for an integer, or a fraction in lowest terms.
 */
export type ExactNumber = number | bigint | Rational;

const view = new DataView(new ArrayBuffer(8));

/** Returns a finite double as `mantissa * 2 ** exponent`, both integers. */
export function splitDouble(value: number): { mantissa: bigint; exponent: number } {
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: high >>> 31 ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 };
}

/** Converts a finite number to a fraction. */
export function toRational(value: ExactNumber): Rational {
  if (typeof value === 'object') return value;
  if (typeof value === 'bigint') return { n: value, d: 1n };
  if (Number.isSafeInteger(value)) return { n: BigInt(value), d: 1n };
  const { mantissa, exponent } = splitDouble(value);
  return shiftUp({ n: mantissa, d: 1n }, exponent);
}

/** Returns the canonical form of an integer. */
export function exactInteger(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : value;
}

/** Maximum number of binary digits to calculate with. */
const MAX_BITS = 4096;
const LARGEST = 1n << BigInt(MAX_BITS);

/** The error for a number with too many digits to calculate with. */
export class TooManyDigitsError extends Undecided {
  constructor(clause = 'the calculation') {
    super(
      clause,
      `it needs numbers with more than ${MAX_BITS} bits`,
      'multiply or divide fewer numbers',
    );
  }
}

/**
 * Returns the canonical form of a fraction.
 *
 * @throws {TooManyDigitsError}
 */
function exactFraction({ n, d }: Rational): ExactNumber {
  if (d > LARGEST || n > LARGEST || n < -LARGEST) throw new TooManyDigitsError();
  const divisor = commonDivisor(n < 0n ? -n : n, d);
  const fraction = { n: n / divisor, d: d / divisor };
  if (fraction.d === 1n) return exactInteger(fraction.n);
  if ((fraction.d & (fraction.d - 1n)) !== 0n) return fraction;
  const double = toDouble(fraction);
  return compareRationals(toRational(double), fraction) === 0 ? double : fraction;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [divisor, remainder] = [b, a];
  while (remainder > 0n) [divisor, remainder] = [remainder, divisor % remainder];
  return divisor;
}

/** Adds two numbers exactly. At most one number may be infinite. */
export function addExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    // The rounding error, by Knuth's TwoSum (The Art of Computer Programming, 4.2.2).
    const second = sum - a;
    if (a - (sum - second) + (b - second) === 0) return sum;
  }
  if (isInfinite(a)) return a;
  if (isInfinite(b)) return b;
  const x = toRational(a);
  const y = toRational(b);
  return exactFraction({ n: x.n * y.d + y.n * x.d, d: x.d * y.d });
}

/** Multiplies two finite numbers exactly. */
export function multiplyExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(product)) {
      return product;
    }
  }
  const x = toRational(a);
  const y = toRational(b);
  return exactFraction({ n: x.n * y.n, d: x.d * y.d });
}

/** Divides two finite numbers exactly; undefined if the divisor is zero. */
export function divideExact(a: ExactNumber, b: ExactNumber): ExactNumber | undefined {
  const x = toRational(a);
  const y = toRational(b);
  if (y.n === 0n) return undefined;
  const sign = y.n < 0n ? -1n : 1n;
  return exactFraction({ n: x.n * y.d * sign, d: x.d * y.n * sign });
}

export function isInfinite(value: ExactNumber): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

export function negateExact(value: ExactNumber): ExactNumber {
  return typeof value === 'object' ? { n: -value.n, d: value.d } : -value;
}

/** Compares two numbers, which may be infinite. Returns a number with the sign of `a - b`. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  // JavaScript compares a bigint with a double exactly.
  if (typeof a !== 'object' && typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'number' && !Number.isFinite(a)) return a;
  if (typeof b === 'number' && !Number.isFinite(b)) return -b;
  return compareRationals(toRational(a), toRational(b));
}

/** Returns a number's map key. Only equal numbers have equal keys. */
export function keyOfExact(value: ExactNumber): number | bigint | string {
  return typeof value === 'object' ? `${value.n}/${value.d}` : value;
}
