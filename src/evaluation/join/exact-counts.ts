import type { JoinTree } from './join-tree.js';
import { Doubles, residues } from './monoid.js';
import type { Solver } from './solver.js';
import { countTrees, type TreeCounts } from './tree-counts.js';

/** How many bindings contain each event of a label. */
export type Counts = (position: number) => number | bigint;

/** The bindings of some labels. */
export interface Counted {
  readonly total: bigint;
  /** Of the labels that were wanted. */
  readonly of: ReadonlyMap<number, Counts>;
}

/** Up to here a double counts without a gap. */
const DOUBLE_LIMIT = 2 ** 53;

/** Each prime holds at least this many bits; this many primes are enough for everybody. */
const PRIME_BITS = 25;
const MOST_PRIMES = 40;

/**
 * Counts bindings exactly: in doubles, or, where these might round, modulo as many primes as the
 * count has bits, put together by the Chinese remainder theorem: as many counts as primes, one for each
 * 25 bits.
 *
 * @param limit where doubles might round; tests set it lower
 * @returns undefined when the number of bindings has more than a thousand bits
 */
export function countExactly(
  solver: Solver,
  trees: readonly JoinTree[],
  wanted: ReadonlySet<number>,
  masks?: ReadonlyMap<number, Float64Array>,
  limit = DOUBLE_LIMIT,
): Counted | undefined {
  const doubles = new Doubles();
  const plain = countTrees(solver, trees, wanted, doubles, masks);
  if (doubles.peak < limit) return combine(trees, plain.totals.map(BigInt), countsOf(plain));
  // Rounding may have made the peak too small, but by far less than a factor of two.
  const bits = Math.log2(doubles.peak) + 1;
  if (!(bits <= MOST_PRIMES * PRIME_BITS)) return undefined;
  const primes = largestPrimes(Math.ceil(bits / PRIME_BITS));
  const runs = primes.map((prime) => countTrees(solver, trees, wanted, residues(prime), masks));
  const restore = chineseRemainder(primes);
  const totals = trees.map((_, tree) => restore(runs.map((run) => run.totals[tree] as number)));
  const of = new Map(
    [...plain.of.keys()].map((label): [number, Counts] => {
      const counts = runs.map((run) => run.of.get(label) as Float64Array);
      return [label, (at) => restore(counts.map((residue) => residue[at] as number))];
    }),
  );
  return combine(trees, totals, of);
}

function countsOf(counts: TreeCounts): Map<number, Counts> {
  return new Map([...counts.of].map(([label, each]) => [label, (at) => each[at] as number]));
}

/** A binding takes one of each tree, so the counts of a tree are multiplied with the other totals. */
function combine(
  trees: readonly JoinTree[],
  totals: readonly bigint[],
  counts: ReadonlyMap<number, Counts>,
): Counted {
  const total = totals.reduce((product, of) => product * of, 1n);
  const of = new Map<number, Counts>();
  trees.forEach(({ root, edges }, tree) => {
    const others = totals.reduce((product, of, at) => (at === tree ? product : product * of), 1n);
    for (const label of [root, ...edges.map(({ child }) => child)]) {
      const each = counts.get(label);
      if (each === undefined) continue;
      of.set(label, others === 1n ? each : (at) => BigInt(each(at)) * others);
    }
  });
  return { total, of };
}

/** Finds the number below the product of the primes that has these residues. */
function chineseRemainder(primes: readonly number[]): (residues: readonly number[]) => bigint {
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
  const parts = primes.map((prime) => {
    const others = product / BigInt(prime);
    // Fermat: x ** (p - 2) is the inverse of x modulo p.
    return others * power(others % BigInt(prime), BigInt(prime - 2), BigInt(prime));
  });
  return (residues) =>
    residues.reduce((sum, residue, at) => sum + BigInt(residue) * (parts[at] as bigint), 0n) %
    product;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** The largest primes below 2^26. */
function largestPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2 ** 26 - 1; primes.length < count; number -= 2) {
    let divisor = 3;
    while (divisor * divisor <= number && number % divisor !== 0) divisor += 2;
    if (divisor * divisor > number) primes.push(number);
  }
  return primes;
}
