import { partitionPoint } from '../basics/index.js';
import { fisherExact, normalDeviate } from '../statistics/index.js';
import { type ComparedAttempts, hasEnoughPairs, pairAttempts } from './attempts.js';
import { failureProportion } from './tests.js';

/** The smallest detectable differences, each undefined if there are too few attempts. */
export interface DetectableDifference {
  /** Lowest failure count in B that is significantly higher than in A. */
  readonly more: number | undefined;
  /** Highest failure count in B that is significantly lower than in A. */
  readonly fewer: number | undefined;
  /**
   * Minimum share of pairs in which B's value must be greater. If `isPaired`, a pair is two
   * attempts with the same set; otherwise, any attempt in A and any attempt in B.
   */
  readonly share: number | undefined;
  /** True if values are compared by a paired test. */
  readonly isPaired: boolean;
}

/**
 * Returns the smallest differences that the tests can detect.
 *
 * @param level the significance level of a single test
 */
export function detectableDifference(
  level: number,
  { a, b, sets }: ComparedAttempts,
): DetectableDifference {
  const [baseRate, of] = [failureProportion(a.judged), b.judged.length];
  const isChance = (count: number) => fisherExact(baseRate, { count, of }) > level;
  const sameCount = baseRate.of === 0 ? 0 : Math.round((baseRate.count / baseRate.of) * of);
  const more = partitionPoint(sameCount, of + 1, isChance);
  const fewer = partitionPoint(0, sameCount, (count) => !isChance(count)) - 1;
  const pairs = pairAttempts(sets).size;
  const isPaired = of > 0 && hasEnoughPairs(pairs, baseRate.of, of);
  // The variance of the sign test, or of U without ties, in the normal approximation.
  const variance = isPaired ? 1 / pairs : (baseRate.of + of + 1) / (3 * baseRate.of * of);
  const share = (1 + normalDeviate(level) * Math.sqrt(variance)) / 2;
  return {
    more: more > of ? undefined : more,
    fewer: fewer < 0 ? undefined : fewer,
    share: share > 1 ? undefined : share,
    isPaired,
  };
}
