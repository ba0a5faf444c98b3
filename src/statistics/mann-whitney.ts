import { sum } from '../basics/index.js';
import { normalTail } from './normal.js';

/** The result of comparing two samples by rank. */
export interface RankComparison {
  /** The number of pairs in which the first sample's value is greater; ties count half. */
  readonly u: number;
  /** The two-sided p-value under the null hypothesis that both samples have the same distribution. */
  readonly p: number;
  /** The smallest possible `p` over all divisions of these values into two samples of these sizes. */
  readonly least: number;
  /**
   * Cliff's delta (1993), from -1 to 1: the share of pairs in which the first sample's value is greater, minus the
   * share in which the first sample's value is smaller.
   */
  readonly delta: number;
}

/** Maximum number of steps for an exact p-value (about 50 ms). */
const MOST_STEPS = 4_000_000;

/**
 * Compares two samples by the two-sided Mann-Whitney test (1947). For small samples or few distinct values, the
 * p-value is exact, even with ties (Streitberg and Röhmel 1986). Otherwise the p-value is a normal approximation with
 * tie and continuity corrections.
 *
 * @param first not empty, and without NaN; infinite values count as equal to each other
 * @param second likewise
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): RankComparison {
  const ties = tiesOf(first, second);
  const [m, n] = [first.length, second.length];
  const u = smallerPairs(ties, m);
  const least = Math.min(m, n);
  const chanceOf = chancesOf(ties, least);
  const p = chanceOf(Math.abs(2 * u - m * n));
  return { u, p, least: chanceOf(greatestDistance(ties, least)), delta: (2 * u) / (m * n) - 1 };
}

/** Returns the delta of `mannWhitney` for the same samples, without its other results. Takes O(n log n) time. */
export function cliffsDelta(first: readonly number[], second: readonly number[]): number {
  const pairs = first.length * second.length;
  return (2 * smallerPairs(tiesOf(first, second), first.length)) / pairs - 1;
}

/** Counts the pairs in which the second sample's value is smaller; ties count half. */
function smallerPairs(ties: readonly Tie[], m: number): number {
  return sum(ties.map(({ rank, own }) => rank * own)) / 2 - (m * (m + 1)) / 2;
}

/** The probability that the doubled rank sum of `m` random values is at least `distance` away from its mean. */
type Chances = (distance: number) => number;

function chancesOf(ties: readonly Tie[], m: number): Chances {
  if (ties.length === 1) return () => 1;
  return stepsOf(ties, m) <= MOST_STEPS ? exactChances(ties, m) : normalChances(ties, m);
}

/** A group of tied values: twice its mean rank, its size in the first sample (`own`), and its size in both samples. */
interface Tie {
  readonly rank: number;
  readonly own: number;
  readonly size: number;
}

function tiesOf(first: readonly number[], second: readonly number[]): readonly Tie[] {
  const all = [
    ...first.map((value) => ({ value, own: 1 })),
    ...second.map((value) => ({ value, own: 0 })),
  ].sort((a, b) => (a.value < b.value ? -1 : Number(a.value > b.value)));
  const ties: Tie[] = [];
  for (let from = 0; from < all.length; ) {
    let [to, own] = [from, 0];
    while (to < all.length && all[to]?.value === all[from]?.value) own += all[to++]?.own ?? 0;
    ties.push({ rank: from + 1 + to, own, size: to - from });
    from = to;
  }
  return ties;
}

function sizeOf(ties: readonly Tie[]): number {
  return sum(ties.map(({ size }) => size));
}

/** Returns an upper bound on the steps for an exact p-value. */
function stepsOf(ties: readonly Tie[], m: number): number {
  const all = sizeOf(ties);
  const most = (m + 1) * (2 * m * (all - m) + 1);
  let [states, steps] = [1, 0];
  for (const { size } of ties) {
    const ways = Math.min(size, m) + 1;
    steps += states * ways;
    states = Math.min(most, states * ways);
  }
  return steps;
}

/**
 * Returns the maximum distance between the doubled rank sum of `m` values and its mean. The `m` smallest or the `m`
 * greatest values reach this distance.
 */
function greatestDistance(ties: readonly Tie[], m: number): number {
  const middle = m * (sizeOf(ties) + 1);
  const sumOf = (orderedTies: readonly Tie[]) => {
    let [total, remaining] = [0, m];
    for (const { rank, size } of orderedTies) {
      total += rank * Math.min(size, remaining);
      remaining -= Math.min(size, remaining);
    }
    return total;
  };
  return Math.max(middle - sumOf(ties), sumOf(ties.toReversed()) - middle);
}

/**
 * Returns exact probabilities. Models each value as chosen independently with probability m / all, conditional on a
 * total of `m` chosen values. All choices of `m` are then equally likely, and no binomial coefficient overflows.
 */
function exactChances(ties: readonly Tie[], m: number): Chances {
  const all = sizeOf(ties);
  const middle = m * (all + 1);
  const span = 2 * all * m + 1;
  // Probabilities, keyed by the count and the rank sum of the values chosen so far, which are encoded in one number.
  let states = new Map([[0, 1]]);
  let remaining = all;
  for (const { rank, size } of ties) {
    remaining -= size;
    const chances = binomial(size, m / all);
    const next = new Map<number, number>();
    for (const [key, chance] of states) {
      const chosen = Math.floor(key / span);
      const least = Math.max(0, m - chosen - remaining);
      for (let more = least; more <= Math.min(size, m - chosen); more += 1) {
        const at = key + more * (span + rank);
        next.set(at, (next.get(at) ?? 0) + chance * (chances[more] ?? 0));
      }
    }
    states = next;
  }
  const distances = [...states].map(([key, chance]) => {
    return { distance: Math.abs((key % span) - middle), chance };
  });
  const total = sum(states.values());
  return (distance) => {
    const extreme = distances.filter((entry) => entry.distance >= distance);
    return Math.min(1, sum(extreme.map(({ chance }) => chance)) / total);
  };
}

/** Returns the probability of each number of successes, from 0 to `trials`. */
function binomial(trials: number, chance: number): readonly number[] {
  const chances: number[] = [];
  let ways = 0;
  for (let count = 0; count <= trials; count += 1) {
    chances.push(
      Math.exp(ways + count * Math.log(chance) + (trials - count) * Math.log1p(-chance)),
    );
    ways += Math.log((trials - count) / (count + 1));
  }
  return chances;
}

function normalChances(ties: readonly Tie[], m: number): Chances {
  const all = sizeOf(ties);
  const tied = sum(ties.map(({ size }) => size ** 3 - size)) / (all * (all - 1));
  const deviation = Math.sqrt(((m * (all - m)) / 12) * (all + 1 - tied));
  return (distance) => Math.min(1, 2 * normalTail(Math.max(0, (distance - 1) / 2) / deviation));
}
