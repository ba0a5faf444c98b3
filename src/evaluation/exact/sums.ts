import {
  addExact,
  bitLength,
  type Exact,
  type Rational,
  shiftUp,
  splitDouble,
  toRational,
  ZERO,
} from './number.js';

/** Doubles with up to ten binary places are counted in these units, as integers. */
const UNIT_BITS = 10;
const UNITS = 2 ** UNIT_BITS;

/** Beyond this, a sum of doubles might round: it is carried over into bigints. */
const SAFE = 2 ** 52;

/** The sums of everything added. */
export interface SumsTotal {
  readonly count: bigint;
  readonly sum: Rational;
  readonly squares: Rational;
  /** Whether +infinity and -infinity were among the values. */
  readonly plus: boolean;
  readonly minus: boolean;
}

/**
 * Weighted sums of values and of their squares without rounding: in doubles while everything is
 * a small integer, else in bigints, one for each binary exponent.
 */
export class ExactSums {
  #smallCount = 0;
  #smallSum = 0;
  #smallSquares = 0;
  #count = 0n;
  #plus = false;
  #minus = false;
  /** The sums of fractions whose denominators are not powers of two, which quotients have. */
  #oddSum: Rational = ZERO;
  #oddSquares: Rational = ZERO;
  readonly #sums = new Map<number, bigint>();
  readonly #squares = new Map<number, bigint>();
  readonly #withSquares: boolean;

  /** @param withSquares whether the squares are asked for */
  constructor(withSquares: boolean) {
    this.#withSquares = withSquares;
  }

  /** Counts `value` `weight` times; a weight is an integer. */
  add(value: Exact, weight: number | bigint): void {
    if (typeof value === 'number') {
      if (typeof weight === 'number' && this.#addSmall(value, weight)) return;
      if (!Number.isFinite(value)) {
        this.#count += BigInt(weight);
        if (value > 0) this.#plus = true;
        else this.#minus = true;
        return;
      }
    }
    this.#addBig(value, BigInt(weight));
  }

  /**
   * Adds `count` finite values at once.
   *
   * @param sum in units of `2 ** exponent`; the sum of their squares is in units of its square
   */
  addMany(count: bigint, exponent: number, sum: bigint, squares: bigint): void {
    this.#count += count;
    addTo(this.#sums, exponent, sum);
    addTo(this.#squares, 2 * exponent, squares);
  }

  /** Adds only to the sum: neither to the number of values nor to their squares. */
  addSum(sum: Rational): void {
    if (isBinary(sum)) addTo(this.#sums, 1 - bitLength(sum.d), sum.n);
    else this.#oddSum = addFractions(this.#oddSum, sum);
  }

  /** Adds in doubles, if that is exact. */
  #addSmall(value: number, weight: number): boolean {
    const units = value * UNITS;
    const product = units * weight;
    const square = this.#withSquares ? product * units : 0;
    if (!Number.isInteger(units) || !(square < SAFE && weight < SAFE)) return false;
    if (!(Math.abs(product) < SAFE)) return false;
    this.#smallCount += weight;
    this.#smallSum += product;
    this.#smallSquares += square;
    const largest = Math.max(this.#smallCount, Math.abs(this.#smallSum), this.#smallSquares);
    if (largest >= SAFE) this.#carry();
    return true;
  }

  #addBig(value: Exact, weight: bigint): void {
    if (typeof value === 'object' && !isBinary(value)) {
      const { n, d } = value;
      this.#count += weight;
      this.#oddSum = addFractions(this.#oddSum, { n: n * weight, d });
      if (!this.#withSquares) return;
      this.#oddSquares = addFractions(this.#oddSquares, { n: n * n * weight, d: d * d });
      return;
    }
    const { mantissa, exponent } = split(value);
    const square = this.#withSquares ? mantissa * mantissa * weight : 0n;
    this.addMany(weight, exponent, mantissa * weight, square);
  }

  #carry(): void {
    const [count, sum, squares] = [this.#smallCount, this.#smallSum, this.#smallSquares];
    this.addMany(BigInt(count), -UNIT_BITS, BigInt(sum), BigInt(squares));
    this.#smallCount = 0;
    this.#smallSum = 0;
    this.#smallSquares = 0;
  }

  total(): SumsTotal {
    this.#carry();
    return {
      count: this.#count,
      sum: addFractions(totalOf(this.#sums), this.#oddSum),
      squares: addFractions(totalOf(this.#squares), this.#oddSquares),
      plus: this.#plus,
      minus: this.#minus,
    };
  }
}

function isBinary({ d }: Rational): boolean {
  return (d & (d - 1n)) === 0n;
}

function addFractions(a: Rational, b: Rational): Rational {
  if (a.n === 0n) return b;
  if (b.n === 0n) return a;
  return a.d === b.d ? { n: a.n + b.n, d: a.d } : toRational(addExact(a, b));
}

/** A finite number as an integer times a power of two. */
function split(value: Exact): { mantissa: bigint; exponent: number } {
  if (typeof value === 'number') return splitDouble(value);
  if (typeof value === 'bigint') return { mantissa: value, exponent: 0 };
  return { mantissa: value.n, exponent: 1 - bitLength(value.d) };
}

function addTo(sums: Map<number, bigint>, exponent: number, amount: bigint): void {
  sums.set(exponent, (sums.get(exponent) ?? 0n) + amount);
}

function totalOf(sums: ReadonlyMap<number, bigint>): Rational {
  const lowest = Math.min(0, ...sums.keys());
  let n = 0n;
  for (const [exponent, amount] of sums) n += amount << BigInt(exponent - lowest);
  return shiftUp({ n, d: 1n }, lowest);
}
