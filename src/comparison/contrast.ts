import type { MeasureResult } from '../evaluation/index.js';
import type { DoneAttempt } from '../runner/index.js';
import type { Proportion } from '../statistics/index.js';

const RATE_KINDS = ['no-verdict', 'failed', 'measurement', 'event', 'sets'] as const;
const RANK_KINDS = ['value', 'margin', 'recovery'] as const;

/** The kinds of contrasts between two runs. */
export const CONTRAST_KINDS = [...RATE_KINDS, ...RANK_KINDS] as const;

/** The meaning of a difference for the second run; `other` if it is neither good nor bad. */
export type Tendency = 'worse' | 'better' | 'other';

/**
 * The attempts of each run in which something happened, compared by Fisher's exact test. For
 * `sets`: of the sets that both runs tried, those that failed in one run only, compared by the sign
 * test.
 */
export interface RateContrast {
  readonly kind: (typeof RATE_KINDS)[number];
  /** The name of the measurement or of the event. */
  readonly name?: string;
  readonly a: Proportion;
  readonly b: Proportion;
}

/**
 * The values measured in the attempts of each run. Compared by Wilcoxon's signed-rank test if both
 * runs tried the same sets, otherwise by the Mann-Whitney test.
 */
export interface RankContrast {
  readonly kind: (typeof RANK_KINDS)[number];
  /** The name of the measurement. */
  readonly name?: string;
  /** The comparison whose left side is measured, with its right side. */
  readonly measure?: Pick<MeasureResult, 'text' | 'right' | 'unit'>;
  readonly a: Spread;
  readonly b: Spread;
  /** Number of pairs of attempts with the same set; undefined for the Mann-Whitney test. */
  readonly pairs?: number;
  /**
   * The share of pairs in which B is greater, minus the share in which B is smaller: over all pairs
   * of attempts (Cliff's delta), or over those with the same set.
   */
  readonly delta: number;
}

/** The spread of values: quartiles and median. */
export interface Spread {
  readonly count: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** A contrast of two runs with its test, before the correction for multiple tests. */
export interface TestedContrast {
  readonly contrast: RateContrast | RankContrast;
  readonly tendency: Tendency;
  /** The uncorrected p-value of the test. */
  readonly p: number;
  /** The smallest p-value that the test can have. */
  readonly least: number;
}

/** The comparable properties of two runs' attempts. */
export interface Comparable {
  /** The names of the measurements that have the same check in both runs. */
  readonly measurements: readonly string[];
  /** True if both runs determined recovery in the same way. */
  readonly recovery: boolean;
  readonly namesInA: EventNamesOf;
  readonly namesInB: EventNamesOf;
}

/** Returns the names of an attempt's events; undefined if its session is gone. */
export type EventNamesOf = (attempt: DoneAttempt) => ReadonlySet<string> | undefined;
