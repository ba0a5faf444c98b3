import { compareRationals, type Rational, toDouble } from './rational.js';

/**
 * A number without rounding, in its one canonical form: a double where a double holds it
 * (infinities included), else a bigint where it is an integer, else a fraction whose
 * denominator is a power of two.
 */
export type Exact = number | bigint | Rational;

const view = new DataView(new ArrayBuffer(8));

/** A finite double as `mantissa * 2 ** exponent`, both integers. */
export function splitDouble(value: number): { mantissa: bigint; exponent: number } {
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: high >>> 31 ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 };
}

/** A finite number as a fraction. */
export function toRational(value: Exact): Rational {
  if (typeof value === 'object') return value;
  if (typeof value === 'bigint') return { n: value, d: 1n };
  if (Number.isSafeInteger(value)) return { n: BigInt(value), d: 1n };
  const { mantissa, exponent } = splitDouble(value);
  return exponent >= 0
    ? { n: mantissa << BigInt(exponent), d: 1n }
    : { n: mantissa, d: 1n << BigInt(-exponent) };
}

/** The canonical form of an integer. */
export function exactInteger(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : value;
}

/** The canonical form of a fraction whose denominator is a power of two. */
function exactFraction({ n, d }: Rational): Exact {
  let [numerator, denominator] = [n, d];
  while (denominator > 1n && (numerator & 1n) === 0n) {
    numerator >>= 1n;
    denominator >>= 1n;
  }
  if (denominator === 1n) return exactInteger(numerator);
  const fraction = { n: numerator, d: denominator };
  const double = toDouble(fraction);
  return compareRationals(toRational(double), fraction) === 0 ? double : fraction;
}

/** The sum of two finite numbers, exactly. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(sum)) return sum;
  }
  const x = toRational(a);
  const y = toRational(b);
  return exactFraction({ n: x.n * y.d + y.n * x.d, d: x.d * y.d });
}

export function negateExact(value: Exact): Exact {
  return typeof value === 'object' ? { n: -value.n, d: value.d } : -value;
}

/** The sign of `a - b`, infinities at both ends. */
export function compareExact(a: Exact, b: Exact): number {
  // JavaScript compares a bigint with a double exactly.
  if (typeof a !== 'object' && typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'number' && !Number.isFinite(a)) return a;
  if (typeof b === 'number' && !Number.isFinite(b)) return -b;
  return compareRationals(toRational(a), toRational(b));
}

/** What is equal for equal numbers alone, as the key of a map. */
export function keyOfExact(value: Exact): number | bigint | string {
  return typeof value === 'object' ? `${value.n}/${value.d}` : value;
}
