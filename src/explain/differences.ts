import { cliffsDelta, holm, mannWhitney } from '../statistics/index.js';
import type { EventKind, MeasuredFeature, SessionFeature } from './features.js';
import { SIGNIFICANCE_LEVEL } from './rules.js';

/** A feature whose values differ between failing and passing sessions. */
export interface Difference {
  readonly feature: SessionFeature;
  /** The feature's medians in failing and in passing sessions. */
  readonly failing: number;
  readonly passing: number;
  /** The numbers of failing and passing sessions that have a value. */
  readonly failingCount: number;
  readonly passingCount: number;
  /** The feature's minimum and maximum in failing and in passing sessions. */
  readonly failingRange: readonly [number, number];
  readonly passingRange: readonly [number, number];
  /** Cliff's delta: 1 if the value in every failing session is greater than in any passing session. */
  readonly delta: number;
  /** The p-value of the Mann-Whitney test. */
  readonly p: number;
  /** The p-value after the Holm correction for all features. */
  readonly corrected: number;
}

export interface FoundDifferences {
  /** The strongest differences, strongest first. Omits each difference that a stronger difference explains. */
  readonly differences: readonly Difference[];
  /** Number of compared features. Features with the same value in all sessions are not compared. */
  readonly compared: number;
  /**
   * The smallest attainable corrected p-value, reached by a feature that completely separates failing from passing
   * sessions.
   */
  readonly least: number;
}

const MAX_DIFFERENCES = 8;

/** Maximum number of features to test, preferring the greatest effects. Each exact p-value takes milliseconds. */
const MAX_TESTED = 40;

/** The feature kinds, most explanatory first. The order breaks ties between equal effects. */
const KINDS: readonly SessionFeature['kind'][] = [
  'count',
  'order',
  'message',
  'value',
  'number',
  'latency',
];

/**
 * Finds the features that differ most between failing and passing sessions.
 *
 * @param failed for each session, true if it failed
 * @param families number of test families that share the error rate, including this family
 */
export function findDifferences(
  features: readonly MeasuredFeature[],
  failed: readonly boolean[],
  families = 1,
): FoundDifferences {
  const failures = failed.filter(Boolean).length;
  const comparedFeatures = features.flatMap(({ feature, values }) => {
    const [own, others] = [true, false].map((side) =>
      values.filter((value, n) => failed[n] === side && !Number.isNaN(value)),
    ) as [number[], number[]];
    if (!isTestable(own, others)) return [];
    const delta = cliffsDelta(own, others);
    // A feature that few sessions have is weaker evidence.
    const share = (own.length / failures) * (others.length / (failed.length - failures));
    const effect = Math.abs(delta) * share;
    const change = relativeChange(median(own), median(others));
    return [{ feature, own, others, delta, change, effect: Math.round(20 * effect) / 20 }];
  });
  const least = Math.min(1, bestP(failures, failed.length) * comparedFeatures.length * families);
  const testedFeatures = comparedFeatures
    .sort(
      (a, b) =>
        b.effect - a.effect ||
        // With too few sessions for a significant p-value, effects often tie. Prefer the greater change.
        (least > SIGNIFICANCE_LEVEL ? b.change - a.change : 0) ||
        KINDS.indexOf(a.feature.kind) - KINDS.indexOf(b.feature.kind) ||
        median(a.others) - median(b.others),
    )
    .slice(0, MAX_TESTED)
    .map((one) => ({ ...one, p: mannWhitney(one.own, one.others).p }));
  // Untested features have smaller effects, so their p-values are not smaller.
  const untestedP = new Array<number>(comparedFeatures.length - testedFeatures.length).fill(1);
  const corrected = holm([...testedFeatures.map(({ p }) => p), ...untestedP]);
  const rankedFeatures = testedFeatures
    .map((one, n) => ({ ...one, corrected: Math.min(1, (corrected[n] ?? 1) * families) }))
    .sort(
      (a, b) =>
        Number(b.corrected <= SIGNIFICANCE_LEVEL) - Number(a.corrected <= SIGNIFICANCE_LEVEL),
    );
  const reported: typeof rankedFeatures = [];
  for (const one of rankedFeatures) {
    if (reported.length === MAX_DIFFERENCES) break;
    if (!reported.some(({ feature }) => explains(feature, one.feature))) reported.push(one);
  }
  return {
    differences: reported.map(({ feature, own, others, delta, p, corrected: all }) => ({
      ...{ feature, failing: median(own), passing: median(others) },
      ...{ failingCount: own.length, passingCount: others.length },
      ...{ failingRange: rangeOf(own), passingRange: rangeOf(others) },
      ...{ delta, p, corrected: all },
    })),
    compared: comparedFeatures.length,
    least,
  };
}

/** Returns the p-value of a feature that separates all failing sessions from all passing sessions. */
function bestP(failures: number, sessions: number): number {
  const values = Array.from({ length: sessions }, (_, n) => n);
  return mannWhitney(values.slice(0, failures), values.slice(failures)).p;
}

/** Returns the relative difference between two numbers, from 0 to 1, rounded to quarters. */
function relativeChange(a: number, b: number): number {
  const sum = Math.abs(a) + Math.abs(b);
  return sum === 0 ? 0 : Math.round((4 * Math.abs(a - b)) / sum) / 4;
}

/**
 * True if a feature's values differ. With `FEW_SESSIONS` sessions or more, at least two values must differ from the
 * most common value.
 */
function isTestable(own: readonly number[], others: readonly number[]): boolean {
  if (own.length === 0 || others.length === 0) return false;
  const all = [...own, ...others];
  const counts = new Map<number, number>();
  for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  const commonest = Math.max(...counts.values());
  return commonest < all.length && (all.length < FEW_SESSIONS || all.length - commonest > 1);
}

/** Number of sessions below which a single session with a different value is enough to test a feature. */
const FEW_SESSIONS = 5;

/** True if one difference explains another difference. */
function explains(knownFeature: SessionFeature, other: SessionFeature): boolean {
  const [own, others] = [eventsOf(knownFeature), eventsOf(other)];
  const isShared = own.some((one) => others.some((two) => isSame(one, two)));
  if (!isShared) return false;
  switch (knownFeature.kind) {
    case 'count':
    case 'order':
    case 'message':
      return other.kind === 'order' || other.kind === 'message' || other.kind === 'latency';
    case 'latency':
      return other.kind === 'latency';
    default:
      return 'attribute' in other && knownFeature.attribute === other.attribute;
  }
}

function eventsOf(feature: SessionFeature): readonly EventKind[] {
  if ('event' in feature) return [feature.event];
  return 'first' in feature ? [feature.first, feature.then] : [feature.from, feature.to];
}

function isSame(one: EventKind, other: EventKind): boolean {
  return one.probe === other.probe && one.name === other.name && one.isEnd === other.isEnd;
}

/**
 * Returns the median.
 *
 * @param values not empty
 */
function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b);
  const half = sortedValues.length / 2;
  const [low, high] = [
    sortedValues[Math.ceil(half) - 1] as number,
    sortedValues[Math.floor(half)] as number,
  ];
  return (low + high) / 2;
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}
