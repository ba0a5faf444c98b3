import type { MeasureResult } from '../evaluation/index.js';
import type { DoneAttempt } from '../runner/index.js';
import type { Proportion } from '../statistics/index.js';

const RATE_KINDS = ['no-verdict', 'failed', 'measurement', 'event', 'sets'] as const;
const RANK_KINDS = ['value', 'margin', 'recovery'] as const;

/** The kinds of contrasts between two runs. */
export const CONTRAST_KINDS = [...RATE_KINDS, ...RANK_KINDS] as const;

/** The meaning of a difference for run B; `other` if it is neither good nor bad. */
export type Tendency = 'worse' | 'better' | 'other';

/**
 * The proportion of attempts with some property in each run, compared by Fisher's exact test. For
 * `sets`, the proportion of shared sets that failed only in that run, compared by the sign test.
 */
export interface RateContrast {
  readonly kind: (typeof RATE_KINDS)[number];
  /** The name of the measurement or event. */
  readonly name?: string;
  readonly a: Proportion;
  readonly b: Proportion;
}

/**
 * The values measured in each run's attempts. Compared by Wilcoxon's signed-rank test if enough
 * values are paired, otherwise by the Mann-Whitney test.
 */
export interface RankContrast {
  readonly kind: (typeof RANK_KINDS)[number];
  /** The name of the measurement. */
  readonly name?: string;
  /** The comparison whose left side provides the values. */
  readonly measure?: Pick<MeasureResult, 'text' | 'right' | 'unit'>;
  readonly a: Spread;
  readonly b: Spread;
  /** Number of pairs of attempts with the same set; undefined for the Mann-Whitney test. */
  readonly pairs?: number;
  /**
   * The share of pairs in which B's value is greater, minus the share in which B's value is
   * smaller. Without `pairs`, all pairs of attempts from both runs count (Cliff's delta).
   */
  readonly delta: number;
}

/** A summary of values: their number, median and quartiles. */
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
  /** The smallest attainable p-value of the test. */
  readonly least: number;
}

/** The comparable properties of two runs' attempts, with access to their event names. */
export interface ComparableProperties {
  /** Names of the measurements with the same check in both runs. */
  readonly measurements: readonly string[];
  /** True if both runs determined recovery in the same way. */
  readonly recovery: boolean;
  readonly namesInA: EventNamesOf;
  readonly namesInB: EventNamesOf;
}

/** Returns the names of an attempt's events; undefined if its session no longer exists. */
export type EventNamesOf = (attempt: DoneAttempt) => ReadonlySet<string> | undefined;
