import { sum } from '../basics/index.js';

/** A number of successes among trials. */
export interface Proportion {
  readonly count: number;
  readonly of: number;
}

/** Relative tolerance for equal probabilities. Rounding errors are smaller than this factor. */
const SAME = 1 + 1e-7;

/**
 * Returns the p-value of Fisher's exact test (1922): the probability of proportions that differ at least as much,
 * under the null hypothesis of equal rates. `both` is the two-sided test, which sums the tables with the same totals
 * that are at most as likely as the given table. `greater` is the one-sided test, which sums the tables with at least
 * as many successes in the first proportion.
 */
export function fisherExact(
  first: Proportion,
  second: Proportion,
  tail: 'both' | 'greater' = 'both',
): number {
  const total = first.count + second.count;
  const least = Math.max(0, total - second.of);
  const most = Math.min(first.of, total);
  // Computes hypergeometric probabilities by their ratios, from the likeliest outwards, so no factor overflows.
  const mode = Math.floor(((first.of + 1) * (total + 1)) / (first.of + second.of + 2));
  const start = Math.min(most, Math.max(least, mode));
  const ratio = (count: number) =>
    ((total - count) * (first.of - count)) / ((count + 1) * (second.of - total + count + 1));
  const chances = new Map([[start, 1]]);
  for (let at = start, chance = 1; at < most; at += 1) {
    chance *= ratio(at);
    chances.set(at + 1, chance);
  }
  for (let at = start, chance = 1; at > least; at -= 1) {
    chance /= ratio(at - 1);
    chances.set(at - 1, chance);
  }
  const own = chances.get(first.count) ?? 0;
  const counts = (count: number, chance: number) =>
    tail === 'greater' ? count >= first.count : chance <= own * SAME;
  const extreme = [...chances].flatMap(([count, chance]) => (counts(count, chance) ? chance : []));
  return Math.min(1, sum(extreme) / sum(chances.values()));
}

/** Returns the smallest possible p-value of `fisherExact` for these numbers of trials and this total of successes. */
export function minFisherExact(first: Proportion, second: Proportion): number {
  const total = first.count + second.count;
  const chanceOf = (count: number) =>
    fisherExact({ count, of: first.of }, { count: total - count, of: second.of });
  return Math.min(chanceOf(Math.max(0, total - second.of)), chanceOf(Math.min(first.of, total)));
}
