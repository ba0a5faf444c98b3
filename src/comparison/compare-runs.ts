import { holm, selectTests } from '../statistics/index.js';
import type { ComparedAttempts } from './attempts.js';
import type { ComparableProperties, Tendency, TestedContrast } from './contrast.js';
import { type DetectableDifference, detectableDifference } from './detectable.js';
import { testAttempts } from './tests.js';

/**
 * The significance level: the maximum probability that a comparison of equal systems reports a
 * difference.
 */
export const COMPARISON_LEVEL = 0.01;

export interface RunDifference extends Omit<TestedContrast, 'least'> {
  /** The p-value corrected for all tests of the comparison. */
  readonly corrected: number;
  /** True if the difference is significant at `COMPARISON_LEVEL`. */
  readonly isSignificant: boolean;
}

export interface RunComparison {
  /**
   * One difference per test. Significant differences come first, ordered by tendency: worse,
   * better, other.
   */
  readonly differences: readonly RunDifference[];
  /** The smallest detectable differences. */
  readonly detectable: DetectableDifference;
}

/** Compares the outcomes of two runs. */
export function compareRuns(
  attempts: ComparedAttempts,
  comparable: ComparableProperties,
): RunComparison {
  const tests = testAttempts(attempts, comparable);
  const counts = selectTests(
    tests.map(({ least }) => least),
    COMPARISON_LEVEL,
  );
  const corrected = holm(tests.filter((_, at) => counts[at]).map(({ p }) => p));
  let next = 0;
  const differences = tests.map(({ least: _, ...test }, at): RunDifference => {
    const value = counts[at] ? (corrected[next++] ?? 1) : 1;
    return { ...test, corrected: value, isSignificant: value <= COMPARISON_LEVEL };
  });
  return {
    differences: differences.sort((x, y) => orderOf(x) - orderOf(y) || x.p - y.p),
    // A difference not yet observed would add one test.
    detectable: detectableDifference(COMPARISON_LEVEL / (corrected.length + 1), attempts),
  };
}

const TENDENCIES: readonly Tendency[] = ['worse', 'better', 'other'];

function orderOf({ isSignificant, tendency }: RunDifference): number {
  return isSignificant ? TENDENCIES.indexOf(tendency) : TENDENCIES.length;
}
