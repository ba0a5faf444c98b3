import { bitLength, type Exact, type Rational, splitDouble } from './number.js';

/** Doubles with up to ten binary places are counted in these units, as integers. */
const UNIT_BITS = 10;
const UNITS = 2 ** UNIT_BITS;

/** Beyond this a sum of doubles might round: it is carried over into bigints. */
const SAFE = 2 ** 52;

/** What the sums have come to. */
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
  readonly #sums = new Map<number, bigint>();
  readonly #squares = new Map<number, bigint>();
  readonly #withSquares: boolean;

  /** @param withSquares whether the squares are asked for */
  constructor(withSquares: boolean) {
    this.#withSquares = withSquares;
  }

  /** Counts `value` as often as `weight` says; a weight is a whole number. */
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

  /** Adds to the sum alone: neither to the number of values nor to their squares. */
  addSum({ n, d }: Rational): void {
    addTo(this.#sums, 1 - bitLength(d), n);
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
    const { mantissa, exponent } = split(value);
    this.#count += weight;
    addTo(this.#sums, exponent, mantissa * weight);
    if (this.#withSquares) addTo(this.#squares, 2 * exponent, mantissa * mantissa * weight);
  }

  #carry(): void {
    this.#count += BigInt(this.#smallCount);
    addTo(this.#sums, -UNIT_BITS, BigInt(this.#smallSum));
    addTo(this.#squares, -2 * UNIT_BITS, BigInt(this.#smallSquares));
    this.#smallCount = 0;
    this.#smallSum = 0;
    this.#smallSquares = 0;
  }

  total(): SumsTotal {
    this.#carry();
    return {
      count: this.#count,
      sum: totalOf(this.#sums),
      squares: totalOf(this.#squares),
      plus: this.#plus,
      minus: this.#minus,
    };
  }
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
  return { n, d: 1n << BigInt(-lowest) };
}
