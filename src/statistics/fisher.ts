import { sum } from '../basics/index.js';

/** A number of successes (`count`) in a number of trials (`of`). */
export interface Proportion {
  readonly count: number;
  readonly of: number;
}

/** Relative tolerance for comparing probabilities, greater than any rounding error. */
const SAME = 1 + 1e-7;

/**
 * Returns the p-value of Fisher's exact test (1922): the probability of proportions that differ at least as much, under
 * the null hypothesis of equal rates. Considers all tables with the same totals. `both` (two-sided) sums the
 * probabilities of tables no likelier than the given table. `greater` (one-sided) sums the probabilities of tables with
 * at least as many successes in the first proportion.
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

/** Returns the smallest p-value that `fisherExact` can return for the same numbers of trials and total successes. */
export function minFisherExact(first: Proportion, second: Proportion): number {
  const total = first.count + second.count;
  const chanceOf = (count: number) =>
    fisherExact({ count, of: first.of }, { count: total - count, of: second.of });
  return Math.min(chanceOf(Math.max(0, total - second.of)), chanceOf(Math.min(first.of, total)));
}
