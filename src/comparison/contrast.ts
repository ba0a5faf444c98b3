import type { MeasureResult } from '../evaluation/index.js';
import type { DoneAttempt } from '../runner/index.js';
import type { Proportion } from '../statistics/index.js';

const RATE_KINDS = ['no-verdict', 'failed', 'measurement', 'event', 'sets'] as const;
const RANK_KINDS = ['value', 'margin', 'recovery'] as const;

/** The kinds of things by which two runs are compared. */
export const CONTRAST_KINDS = [...RATE_KINDS, ...RANK_KINDS] as const;

/** The meaning of a difference for the second run; `other` if it is neither good nor bad by itself. */
export type Tendency = 'worse' | 'better' | 'other';

/**
 * The attempts in which something happened in either run: by Fisher's exact test; of `sets`, those that failed in one run
 * alone among those that both made, by the sign test.
 */
export interface RateContrast {
  readonly kind: (typeof RATE_KINDS)[number];
  /** The measurement, or the event. */
  readonly name?: string;
  readonly a: Proportion;
  readonly b: Proportion;
}

/**
 * The values measured in the attempts of either run: by Wilcoxon's signed-rank test where both made the same
 * sets, else by that of Mann and Whitney.
 */
export interface RankContrast {
  readonly kind: (typeof RANK_KINDS)[number];
  /** The measurement. */
  readonly name?: string;
  /** The comparison whose left side it is, with its right side. */
  readonly measure?: Pick<MeasureResult, 'text' | 'right' | 'unit'>;
  readonly a: Spread;
  readonly b: Spread;
  /** Number of attempts of both with the same set, compared in pairs; undefined for Mann and Whitney's test. */
  readonly pairs?: number;
  /**
   * The share of pairs in which B is greater, less that in which it is smaller: of all attempts of both
   * (Cliff's delta), or of those that made the same set.
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

/** A contrast of two runs with its test, before it is corrected for the others. */
export interface TestedContrast {
  readonly contrast: RateContrast | RankContrast;
  readonly tendency: Tendency;
  /** The uncorrected p-value of the test. */
  readonly p: number;
  /** The least value that `p` could have. */
  readonly least: number;
}

/** The comparable properties of two runs' attempts. */
export interface Comparable {
  /** The names of the measurements that both made with the same check. */
  readonly measurements: readonly string[];
  /** True if both learnt in the same way whether the system recovered. */
  readonly recovery: boolean;
  readonly namesInA: EventNamesOf;
  readonly namesInB: EventNamesOf;
}

/** Returns the names of an attempt's events; undefined if its session is gone. */
export type EventNamesOf = (attempt: DoneAttempt) => ReadonlySet<string> | undefined;
