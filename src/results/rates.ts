import { listMeasures } from '../evaluation/index.js';
import {
  type DoneAttempt,
  type FailureRate,
  firstAttempts,
  hasPassed,
  isJudged,
  type MeasurementResult,
  REPEAT_TEST,
  type RunState,
  repetitionResults,
} from '../runner/index.js';
import { fisherExact, type Proportion, rateInterval } from '../statistics/index.js';
import { comparisonPart, comparisonText } from './evaluation-part.js';

/** The attempt in which a passing measurement came closest to failing. */
export interface ClosestAttempt {
  readonly name: string;
  readonly attempt: number;
  readonly margin: number;
  readonly measured: MeasurementResult;
}

/**
 * Returns the attempt closest to failing, for each measurement that never failed. Omits
 * measurements with the same margin in all attempts, such as `count() = 0`.
 */
export function closestAttempts({
  attempts,
}: Pick<RunState, 'attempts'>): readonly ClosestAttempt[] {
  const known = new Map<string, ClosestAttempt[]>();
  const failed = new Set<string>();
  for (const { n, shrinks, result } of attempts) {
    for (const measured of shrinks === undefined ? result.measurements : []) {
      const { name, margin } = measured;
      if (hasPassed(measured) === false) failed.add(name);
      if (margin === undefined) continue;
      const all = known.get(name) ?? [];
      all.push({ name, attempt: n, margin, measured });
      known.set(name, all);
    }
  }
  return [...known].flatMap(([name, all]) => {
    const [least] = [...all].sort((a, b) => a.margin - b.margin);
    const differs = all.some(({ margin }) => margin !== least?.margin);
    return least === undefined || failed.has(name) || !differs ? [] : [least];
  });
}

/**
 * Formats an attempt and its margin, such as `attempt 31, p95(b.time - a.time) < 100ms: 92ms, 92 %
 * of its bound`.
 */
export function closestText({
  attempt,
  measured,
}: Pick<ClosestAttempt, 'attempt' | 'measured'>): string {
  return `attempt ${attempt}, ${marginText(measured)}`;
}

/** Describes the comparison closest to its bound, with the distance. */
export function marginText({
  details,
  margin,
  shouldPass,
}: Pick<MeasurementResult, 'details' | 'margin' | 'shouldPass'>): string {
  const { measures = [], groups } = details ?? {};
  const sides = listMeasures(groups === undefined ? measures : (groups.worst[0]?.measures ?? []));
  // For a conjunction that should not hold, the smallest margin also decides, because this margin
  // belongs to the comparison furthest from holding.
  const own = shouldPass ? margin : 0 - (margin ?? 0);
  const least = sides.find((one) => one.margin === own);
  if (least === undefined) {
    return groups?.hold === undefined
      ? `margin ${percentOf(margin ?? 0)}`
      : `${groups.hold} of ${groups.all} groups`;
  }
  const [left, right] = [Number(least.left), Number(least.right)];
  const share = left / right;
  const percentText =
    share >= 0 && Number.isFinite(share) ? `, ${percentOf(share)} of its bound` : '';
  return `${comparisonText(comparisonPart(least))}${percentText}`;
}

function percentOf(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/**
 * Formats a rate with its 95% confidence interval, such as `80 % (37.6 to 96.4 %)`.
 *
 * @param tried the number of attempts, at least 1
 */
export function rateText(failed: number, tried: number): string {
  const [low, high] = rateInterval(failed, tried).map(percent);
  return `${percent(failed / tried)} % (${low} to ${high} %)`;
}

/** A bench's results in the judged attempts. */
export interface BenchRate {
  readonly bench: string;
  readonly tried: number;
  readonly failed: number;
  /** The results on all other benches. */
  readonly others: { readonly tried: number; readonly failed: number };
  /**
   * The probability of at least this many failures under the null hypothesis that benches do not
   * differ.
   */
  readonly p: number;
  /**
   * True if the bench fails significantly more often than the other benches. By chance, a bench
   * stands out in at most one of twenty runs.
   */
  readonly standsOut: boolean;
}

/**
 * Returns each bench's failure rate, excluding shrinking and repetitions. Returns an empty list for
 * a run without benches. Attempts run on any free bench, regardless of their sets, so sets cannot
 * cause a difference. A bench stands out if it fails more often than all other benches together by
 * Fisher's exact test (1922), at a level of 5% divided by the number of benches (Bonferroni).
 */
export function benchRates(
  state: Pick<RunState, 'run' | 'attempts' | 'repeats'>,
): readonly BenchRate[] {
  const judged = firstAttempts(state).filter(({ result }) => isJudged(result));
  const names = new Set([
    ...(state.run?.benches ?? []).map(({ name }) => name),
    ...judged.flatMap(({ bench }) => bench ?? []),
  ]);
  const count = (some: readonly DoneAttempt[]) => ({
    tried: some.length,
    failed: some.filter(({ result }) => result.outcome === 'failed').length,
  });
  return [...names].map((bench) => {
    const own = count(judged.filter((one) => one.bench === bench));
    const others = count(judged.filter((one) => one.bench !== bench));
    const p = fisherExact(proportionOf(own), proportionOf(others), 'greater');
    return { bench, ...own, others, p, standsOut: p < 0.05 / names.size };
  });
}

function proportionOf({ tried, failed }: FailureRate): Proportion {
  return { count: failed, of: tried };
}

/** Returns a line for each bench that stands out. */
export function benchLines(state: RunState): readonly string[] {
  return benchRates(state)
    .filter(({ standsOut }) => standsOut)
    .map(({ bench, tried, failed, others, p }) => {
      return `bench ${bench} fails where others pass: ${failed} of ${tried} attempts, and ${others.failed} of ${others.tried} elsewhere (Fisher's exact test, ${chanceText(p)})`;
    });
}

/** Formats a p-value with two significant digits, such as `p = 0.0031`. */
export function chanceText(p: number): string {
  return p < 0.000_1 ? 'p < 0.0001' : `p = ${Number(p.toPrecision(2))}`;
}

/**
 * Formats a number of failures with the rate, such as `4 of 5 times, 80 % (37.6 to 96.4 %)`. Omits
 * the rate if nothing was tried.
 */
export function failureRateText(failed: number, tried: number): string {
  const times = `${failed} of ${tried} times`;
  return tried === 0 ? times : `${times}, ${rateText(failed, tried)}`;
}

/** Converts a share to percent, rounded to one decimal place. */
export function percent(share: number): number {
  return Math.round(share * 1_000) / 10;
}

/** Returns a line for each repeated set, with its failure rates with and without the mutations. */
export function repeatedLines(state: RunState): readonly string[] {
  const judgedBaselines = state.baselines.filter(
    ({ result }) => result.outcome !== 'inconclusive',
  ).length;
  return repetitionResults(state).map(({ of, tried, failed, verdict }) => {
    const rates = [
      tried === 0
        ? 'could not be repeated'
        : `fails ${failed} of ${tried} times, ${rateText(failed, tried)}`,
      ...(judgedBaselines === 0
        ? []
        : [`0 of ${judgedBaselines} without mutations, ${rateText(0, judgedBaselines)}`]),
    ];
    const { most } = REPEAT_TEST;
    const what = {
      often: '',
      seldom: ', rarely or by chance',
      undecided: tried < most ? '' : `, undecided after ${most} attempts`,
    }[verdict];
    return `the set of attempt ${of} ${rates.join('; ')}${what}`;
  });
}
