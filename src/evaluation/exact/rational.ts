/** A fraction: `n / d` with `d > 0`, not necessarily reduced. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** The sign of `a - b`. */
export function compareRationals(a: Rational, b: Rational): number {
  const left = a.n * b.d;
  const right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The double nearest to a fraction, ties to even, as IEEE 754 rounds; infinite beyond the range. */
export function toDouble({ n, d }: Rational): number {
  if (n < 0n) return -toDouble({ n: -n, d });
  if (n === 0n) return 0;
  // The exponent of the last bit that a double keeps: 53 bits, fewer for a subnormal.
  const exponent = Math.max(bitLength(n) - bitLength(d) - 53, -1074);
  const [numerator, denominator] =
    exponent < 0 ? [n << BigInt(-exponent), d] : [n, d << BigInt(exponent)];
  // It has 53 or 54 bits; with 54, the last one decides the rounding with the rest.
  const tooLong = numerator / denominator >= 1n << 53n ? 1 : 0;
  const unit = denominator << BigInt(tooLong);
  let quotient = numerator / unit;
  const twice = (numerator - quotient * unit) * 2n;
  if (twice > unit || (twice === unit && (quotient & 1n) === 1n)) quotient += 1n;
  return scale(Number(quotient), exponent + tooLong);
}

/** `value * 2 ** exponent`, in two steps where one power would leave the range. */
function scale(value: number, exponent: number): number {
  if (exponent > 1023) return value * 2 ** 1000 * 2 ** (exponent - 1000);
  // The value has few enough bits for a subnormal, so neither step rounds.
  if (exponent < -1000) return value * 2 ** -900 * 2 ** (exponent + 900);
  return value * 2 ** exponent;
}

/** So many binary digits of a root are enough to round it. */
const ROOT_BITS = 64;

/** The double nearest to the square root of a fraction, which may itself be beyond the doubles. */
export function rootToDouble({ n, d }: Rational): number {
  if (n === 0n) return 0;
  // The root times 2 ** shift has about the digits wanted before its point.
  const shift = ROOT_BITS - Math.floor((bitLength(n) - bitLength(d)) / 2);
  const [top, bottom] = shiftUp({ n, d }, 2 * shift);
  const square = top / bottom;
  const root = integerRoot(square);
  // One more digit says whether anything is left behind the point.
  const isWhole = root * root === square && square * bottom === top;
  const [high, low] = shiftUp({ n: 2n * root + (isWhole ? 0n : 1n), d: 1n }, -shift - 1);
  return toDouble({ n: high, d: low });
}

/** A fraction times a power of two. */
function shiftUp({ n, d }: Rational, bits: number): readonly [bigint, bigint] {
  return bits >= 0 ? [n << BigInt(bits), d] : [n, d << BigInt(-bits)];
}

/** The largest integer whose square is not above a positive one, by Newton's method from above. */
function integerRoot(square: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(bitLength(square) / 2));
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** How many binary digits a positive integer has. */
export function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] as string, 16)));
}
