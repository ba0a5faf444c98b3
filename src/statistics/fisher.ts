import { sum } from '../basics/index.js';

/** A number of successes among trials. */
export interface Proportion {
  readonly count: number;
  readonly of: number;
}

/** Probabilities that differ by less than this factor count as equal, because both come from the same products. */
const SAME = 1 + 1e-7;

/**
 * Returns the p-value of Fisher's exact test (1922): the probability of proportions that differ at
 * least as much, if both have the same rate. `both` sums the divisions of the same total that are
 * at most as likely as the given one; `greater` sums those with at least as many successes in the
 * first.
 */
export function fisherExact(
  first: Proportion,
  second: Proportion,
  tail: 'both' | 'greater' = 'both',
): number {
  const total = first.count + second.count;
  const least = Math.max(0, total - second.of);
  const most = Math.min(first.of, total);
  // Hypergeometric probabilities from their ratios, outwards from the likeliest: no factor
  // overflows.
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

/**
 * Returns the smallest p-value that `fisherExact` can return for these numbers of trials and this
 * total.
 */
export function minFisherExact(first: Proportion, second: Proportion): number {
  const total = first.count + second.count;
  const chanceOf = (count: number) =>
    fisherExact({ count, of: first.of }, { count: total - count, of: second.of });
  return Math.min(chanceOf(Math.max(0, total - second.of)), chanceOf(Math.min(first.of, total)));
}
