import { sum } from '../basics/index.js';
import { normalTail } from './normal.js';

/** Maximum number of pairs for an exact p-value. */
const MOST_EXACT = 60;

/** The result of comparing paired values by the ranks of their differences. */
export interface PairedComparison {
  /** The two-sided p-value under the null hypothesis that both signs are equally likely. */
  readonly p: number;
  /** The smallest possible `p` over all combinations of signs for these differences. */
  readonly least: number;
  /** The share of positive differences, minus the share of negative differences. */
  readonly delta: number;
}

/**
 * Compares paired values by Wilcoxon's two-sided signed-rank test (1945), given their differences. Zeros count only in
 * `delta`. For few pairs, the p-value is exact, even with ties. Otherwise the p-value is a normal approximation with a
 * continuity correction.
 *
 * @param differences not empty, and without NaN
 */
export function signedRank(differences: readonly number[]): PairedComparison {
  const counting = differences.filter((difference) => difference !== 0);
  const ranks = doubledRanks(counting.map(Math.abs));
  const total = sum(ranks);
  const upwards = sum(ranks.filter((_, at) => (counting[at] as number) > 0));
  const away = Math.abs(2 * upwards - total);
  const chanceOf = ranks.length <= MOST_EXACT ? exactChances(ranks) : normalChances(ranks);
  const delta = sum(differences.map(Math.sign)) / differences.length;
  return { p: chanceOf(away), least: chanceOf(total), delta };
}

/** Returns twice the rank of each value. Tied values get their mean rank. */
function doubledRanks(values: readonly number[]): readonly number[] {
  const sorted = Float64Array.from(values).sort();
  const [first, last] = [new Map<number, number>(), new Map<number, number>()];
  for (const [at, value] of sorted.entries()) {
    if (!first.has(value)) first.set(value, at + 1);
    last.set(value, at + 1);
  }
  return values.map((value) => (first.get(value) ?? 0) + (last.get(value) ?? 0));
}

/** Returns a function that converts twice a rank sum's distance from its mean to the exact two-sided p-value. */
function exactChances(ranks: readonly number[]): (away: number) => number {
  const total = sum(ranks);
  const chances = new Float64Array(total + 1);
  chances[0] = 1;
  let reached = 0;
  for (const rank of ranks) {
    reached += rank;
    for (let at = reached; at >= 0; at -= 1) {
      chances[at] = ((chances[at] ?? 0) + (at < rank ? 0 : (chances[at - rank] ?? 0))) / 2;
    }
  }
  return (away) => {
    const extreme = chances.filter((_, at) => Math.abs(2 * at - total) >= away);
    return Math.min(1, sum(extreme));
  };
}

function normalChances(ranks: readonly number[]): (away: number) => number {
  const deviation = Math.sqrt(sum(ranks.map((rank) => rank * rank)));
  // The continuity correction is 2: half of 4, the minimum change in the distance if one sign changes.
  return (away) => Math.min(1, 2 * normalTail(Math.max(0, away - 2) / deviation));
}
