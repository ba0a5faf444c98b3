import { partitionPoint } from '../basics/index.js';
import { fisherExact, normalDeviate } from '../statistics/index.js';
import { arePaired, type ComparedAttempts, counterpartsIn } from './attempts.js';
import { failedAmong } from './tests.js';

/** The smallest differences that chance would not explain. Undefined if there are too few attempts. */
export interface VisibleDifference {
  /** At least so many attempts of B fail, at the failures that A had. */
  readonly more: number | undefined;
  /** At most so many fail. */
  readonly fewer: number | undefined;
  /** The share of pairs of attempts, or of sets that both made, in which a value is greater in B. */
  readonly share: number | undefined;
  /** True if values are compared at the same sets. */
  readonly isPaired: boolean;
}

/** @param level what the chance of a difference must not exceed, by a test alone */
export function visibleAt(level: number, { a, b, sets }: ComparedAttempts): VisibleDifference {
  const [baseRate, of] = [failedAmong(a.judged), b.judged.length];
  const isChance = (count: number) => fisherExact(baseRate, { count, of }) > level;
  const sameCount = baseRate.of === 0 ? 0 : Math.round((baseRate.count / baseRate.of) * of);
  const more = partitionPoint(sameCount, of + 1, isChance);
  const fewer = partitionPoint(0, sameCount, (count) => !isChance(count)) - 1;
  const pairs = counterpartsIn(sets).size;
  const isPaired = of > 0 && arePaired(pairs, baseRate.of, of);
  // Of the sign test, and of U without equal values, in the normal distribution.
  const variance = isPaired ? 1 / pairs : (baseRate.of + of + 1) / (3 * baseRate.of * of);
  const share = (1 + normalDeviate(level) * Math.sqrt(variance)) / 2;
  return {
    more: more > of ? undefined : more,
    fewer: fewer < 0 ? undefined : fewer,
    share: share > 1 ? undefined : share,
    isPaired,
  };
}
