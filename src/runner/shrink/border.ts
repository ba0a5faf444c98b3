import type { AttributeValue } from '../../values/index.js';
import type { BorderEnd } from '../journal/records.js';
import type { BorderLine } from './line.js';
import {
  type BorderPrecision,
  failureProbabilityAt,
  mostInformativePosition,
  posteriorOf,
  quantile,
  requiredPrecision,
  type TriedPosition,
} from './posterior.js';
import type { Tries } from './rates.js';

/** A tried value on a line. */
export interface TriedValue extends TriedPosition {
  readonly value: AttributeValue;
  readonly rate: Tries;
}

export interface BorderLimits extends BorderPrecision {
  /** Maximum number of attempts between the line's ends. */
  readonly perBorder: number;
  /** Minimum informative width of the interval, as a share of the distance over which the failure probability rises. */
  readonly ofRise: number;
  /** Probability that the interval contains the border. */
  readonly level: number;
  /** Maximum number of gaps between tried values to examine. */
  readonly probes: number;
}

/** A border search's result. */
export interface Border {
  /** The value on the passing side. */
  readonly safe: AttributeValue;
  /** The interval's ends, from the safe side to the failing side. */
  readonly interval: readonly [AttributeValue, AttributeValue];
  /** The interval in which the failure probability rises from 10% to 90% of its total rise. */
  readonly rises: readonly [AttributeValue, AttributeValue];
  readonly reason: BorderEnd;
  /** Failing values on the safe side of a passing value. */
  readonly outliers: readonly TriedValue[];
  /** The tried values on the safe side of the interval. */
  readonly passingSide: readonly TriedValue[];
  /** The first position at which the failure rate is close to the failing end's rate. */
  readonly fullFrom: number;
}

/** Log-odds at which a value counts as certain to fail or to pass, even against the curve's prediction. */
const CERTAIN_ODDS = Math.log(100);
const MIN_TRIES = 3;
const MAX_TRIES = 6;
/** Number of spreads over which the failure probability rises from 10% to 90% of its total rise. */
const RISE_SPREADS = 4.4;
/** Share of the failing end's rate above which a failure rate is close to that rate. */
const FULL_SHARE = 0.9;
/** Minimum distance between contradictory values in excess of half of the rise, as a fraction of the line's length. */
const TOLERANCE = 0.04;

/**
 * Returns the next value to try on a line, or the border. The result depends only on the tried values.
 *
 * @param attempts number of attempts between the line's ends so far
 * @param oddsOf returns the log-odds that a value with a given rate is a failing value
 */
export function findBorder(
  triedValues: readonly TriedValue[],
  line: BorderLine,
  limits: BorderLimits,
  attempts: number,
  oddsOf: (rate: Tries) => number,
): { readonly next: AttributeValue } | { readonly border: Border } {
  const hasSpentBudget = attempts >= limits.perBorder;
  let posterior = posteriorOf(triedValues, line, limits);
  const minDistance = (RISE_SPREADS / 2) * posterior.spread + TOLERANCE;
  // A failing value contradicts a passing value nearer to the failing end. Both values are tried until they are
  // certain.
  const pairs = triedValues.flatMap((failingValue) =>
    triedValues
      .filter(
        ({ place, rate }) =>
          place > failingValue.place + minDistance && place < 1 && oddsOf(rate) < 0,
      )
      .filter(() => failingValue.rate.failed > 0 && oddsOf(failingValue.rate) > 0)
      .map((passingValue) => ({ failing: failingValue, passing: passingValue })),
  );
  const isCertain = ({ rate }: TriedValue) =>
    rate.tried >= MIN_TRIES && Math.abs(oddsOf(rate)) >= CERTAIN_ODDS;
  const uncertainValue = pairs
    .flatMap(({ failing, passing }) => [failing, passing])
    .find((point) => !isCertain(point) && point.rate.runs < MAX_TRIES);
  if (uncertainValue !== undefined && !hasSpentBudget) return { next: uncertainValue.value };
  const contradictions = pairs.filter(
    ({ failing, passing }) => isCertain(failing) && isCertain(passing),
  );
  // The border nearest to the failing end is the result.
  const nearestPassing = contradictions
    .map(({ passing }) => passing)
    .sort((a, b) => b.place - a.place)
    .at(0);
  const relevantValues =
    nearestPassing === undefined
      ? triedValues
      : triedValues.filter((point) => point.place >= nearestPassing.place);
  if (nearestPassing !== undefined) {
    const passingPoint = { place: nearestPassing.place - 0.01, rate: { tried: 4, failed: 0 } };
    posterior = posteriorOf([...relevantValues, passingPoint], line, limits);
  }
  const tail = (1 - limits.level) / 2;
  const [low, high] = [quantile(posterior, tail), quantile(posterior, 1 - tail)];
  const width = high - low;
  const isNarrow =
    width <= requiredPrecision(line, (low + high) / 2, limits) || line.areNeighbours(low, high);
  const isGradual = width <= limits.ofRise * RISE_SPREADS * posterior.spread;
  if (!isNarrow && !isGradual && attempts < limits.perBorder - limits.probes) {
    return { next: line.valueAt(mostInformativePosition(posterior, line)) };
  }
  if (contradictions.length === 0 && !hasSpentBudget) {
    const gap = widestGap(relevantValues, [low, high], minDistance / 2);
    if (gap.width > 1 / (limits.probes + 1)) return { next: line.valueAt(gap.middle) };
  }
  const middle = quantile(posterior, 0.5);
  const rise = (RISE_SPREADS / 2) * posterior.spread;
  let fullFrom = Math.max(0, high);
  while (fullFrom < 1 && failureProbabilityAt(posterior, fullFrom) < FULL_SHARE * posterior.top)
    fullFrom += 0.005;
  return {
    border: {
      safe: nearestPassing?.value ?? line.safe,
      interval: line.interval(low, high),
      rises: [line.valueAt(middle - rise), line.valueAt(middle + rise)],
      reason:
        contradictions.length > 0
          ? 'not-monotone'
          : width > 0.5
            ? 'unclear'
            : isNarrow
              ? 'narrow'
              : isGradual
                ? 'gradual'
                : 'budget',
      outliers: [...new Set(contradictions.map(({ failing }) => failing))],
      passingSide: relevantValues.filter(({ place }) => place < low),
      fullFrom,
    },
  };
}

/** Returns the widest gap between tried values, excluding an interval and a margin around the interval. */
function widestGap(
  triedValues: readonly TriedValue[],
  [low, high]: readonly [number, number],
  margin: number,
) {
  const innerPlaces = triedValues
    .map(({ place }) => place)
    .filter((place) => place > 0 && place < 1);
  const ends = [0, ...innerPlaces.sort((a, b) => a - b), 1];
  const gaps = ends.slice(1).map((to, index) => {
    const from = ends[index] as number;
    return to <= high
      ? { from, to: Math.min(to, low - margin) }
      : { from: Math.max(from, high + margin), to };
  });
  const [widest = { from: 0, to: 0 }] = gaps.sort((a, b) => b.to - b.from - (a.to - a.from));
  return { width: widest.to - widest.from, middle: (widest.from + widest.to) / 2 };
}
