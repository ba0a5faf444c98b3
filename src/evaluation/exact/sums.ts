import { addExact, type ExactNumber, type Rational, shiftUp, toRational, ZERO } from './number.js';

/** Number of binary fraction digits that the sums in doubles keep. */
const UNIT_BITS = 10;
const UNITS = 2 ** UNIT_BITS;

/** Limit beyond which a sum of doubles might round. A sum at the limit is carried over into bigints. */
const SAFE = 2 ** 52;

/** The totals of all added values. */
export interface SumsTotal {
  readonly count: bigint;
  readonly sum: Rational;
  readonly squares: Rational;
  /** True if +infinity was among the values. `minus` is true if -infinity was. */
  readonly plus: boolean;
  readonly minus: boolean;
}

/**
 * Exact weighted sums of values and of their squares. Adds small values in doubles if that is exact, and all other
 * values in bigints, one for each denominator.
 */
export class ExactSums {
  #smallCount = 0;
  #smallSum = 0;
  #smallSquares = 0;
  #count = 0n;
  #plus = false;
  #minus = false;
  readonly #sums = new Map<bigint, bigint>();
  readonly #squares = new Map<bigint, bigint>();
  readonly #withSquares: boolean;

  /** @param withSquares true to sum the squares too */
  constructor(withSquares: boolean) {
    this.#withSquares = withSquares;
  }

  /** Adds `value` `weight` times; a weight is an integer. */
  add(value: ExactNumber, weight: number | bigint): void {
    if (typeof value === 'number') {
      if (typeof weight === 'number' && this.#addSmall(value, weight)) return;
      if (!Number.isFinite(value)) {
        this.#count += BigInt(weight);
        if (value > 0) this.#plus = true;
        else this.#minus = true;
        return;
      }
    }
    const { n, d } = toRational(value);
    const times = BigInt(weight);
    this.#count += times;
    addTo(this.#sums, { n: n * times, d });
    if (this.#withSquares) addTo(this.#squares, { n: n * n * times, d: d * d });
  }

  /**
   * Adds `count` finite values at once.
   *
   * @param sum the sum of the values, in units of `2 ** exponent`
   * @param squares the sum of the values' squares, in units of `2 ** (2 * exponent)`
   */
  addMany(count: bigint, exponent: number, sum: bigint, squares: bigint): void {
    this.#count += count;
    addTo(this.#sums, shiftUp({ n: sum, d: 1n }, exponent));
    addTo(this.#squares, shiftUp({ n: squares, d: 1n }, 2 * exponent));
  }

  /** Adds to the sum alone, not to the count or the squares. */
  addSum(sum: Rational): void {
    addTo(this.#sums, sum);
  }

  /** Adds a value in doubles if that is exact. Returns false otherwise. */
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
      sum: totalSum(this.#sums),
      squares: totalSum(this.#squares),
      plus: this.#plus,
      minus: this.#minus,
    };
  }
}

function addTo(sums: Map<bigint, bigint>, { n, d }: Rational): void {
  sums.set(d, (sums.get(d) ?? 0n) + n);
}

/**
 * Adds the sums, starting with the largest denominator. Most other denominators divide the largest, because
 * denominators of doubles are powers of two.
 *
 * @throws {TooManyDigitsError}
 */
function totalSum(sums: ReadonlyMap<bigint, bigint>): Rational {
  const parts = [...sums].map(([d, n]): Rational => ({ n, d }));
  parts.sort((a, b) => (a.d < b.d ? 1 : -1));
  return parts.reduce((sum, { n, d }) => {
    if (sum.d % d === 0n) return { n: sum.n + n * (sum.d / d), d: sum.d };
    return toRational(addExact(sum, { n, d }));
  }, ZERO);
}
