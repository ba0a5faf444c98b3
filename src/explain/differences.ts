import { cliffsDelta, holm, mannWhitney } from '../statistics/index.js';
import type { EventKind, MeasuredFeature, SessionFeature } from './features.js';
import { SIGNIFICANCE_LEVEL } from './rules.js';

/** A feature that differs between failing sessions and passing ones. */
export interface Difference {
  readonly feature: SessionFeature;
  /** Its median in failing sessions, and in passing ones. */
  readonly failing: number;
  readonly passing: number;
  /** The numbers of failing and passing sessions that have a value. */
  readonly failingCount: number;
  readonly passingCount: number;
  /** Its minimum and maximum in failing sessions, and in passing ones. */
  readonly failingRange: readonly [number, number];
  readonly passingRange: readonly [number, number];
  /** Cliff's delta: 1 if it is greater in every failing session than in any passing one. */
  readonly delta: number;
  /** The p-value of the Mann-Whitney test. */
  readonly p: number;
  /** The p-value after the Holm correction for all features. */
  readonly corrected: number;
}

export interface FoundDifferences {
  /** The most telling first; what follows from one of them is left out. */
  readonly differences: readonly Difference[];
  /** Number of features compared: those that are not the same everywhere. */
  readonly compared: number;
  /** The corrected p of a feature that separates all sessions: none could do better. */
  readonly least: number;
}

const MAX_DIFFERENCES = 8;

/** An exact p takes milliseconds: only those of the features with the greatest effects are needed. */
const MAX_TESTED = 40;

/** The order of features with equal effects: the most explanatory kind first. */
const KINDS: readonly SessionFeature['kind'][] = [
  'count',
  'order',
  'message',
  'value',
  'number',
  'latency',
];

/**
 * Finds the features that differ most between failing sessions and passing ones.
 *
 * @param failed for each session, whether it failed
 * @param families how many families of tests share the chance of a false statement; features are one of them
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
        // Where the effects of few sessions are all as great, the sizes of the differences are left.
        (least > SIGNIFICANCE_LEVEL ? b.change - a.change : 0) ||
        KINDS.indexOf(a.feature.kind) - KINDS.indexOf(b.feature.kind) ||
        median(a.others) - median(b.others),
    )
    .slice(0, MAX_TESTED)
    .map((one) => ({ ...one, p: mannWhitney(one.own, one.others).p }));
  // The others have lesser effects, and so no lesser p.
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

/** Returns the p-value of a feature that separates all failing sessions from all passing ones. */
function bestP(failures: number, sessions: number): number {
  const values = Array.from({ length: sessions }, (_, n) => n);
  return mannWhitney(values.slice(0, failures), values.slice(failures)).p;
}

/** Returns the distance of two numbers, from 0 to 1, in steps of a quarter. */
function relativeChange(a: number, b: number): number {
  const sum = Math.abs(a) + Math.abs(b);
  return sum === 0 ? 0 : Math.round((4 * Math.abs(a - b)) / sum) / 4;
}

/** True if a feature can differ: it is not the same everywhere, and not of a single session among many. */
function isTestable(own: readonly number[], others: readonly number[]): boolean {
  if (own.length === 0 || others.length === 0) return false;
  const all = [...own, ...others];
  const counts = new Map<number, number>();
  for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  const commonest = Math.max(...counts.values());
  return commonest < all.length && (all.length < FEW_EVENTS || all.length - commonest > 1);
}

/** Among this many sessions, one that differs from all others says something. */
const FEW_EVENTS = 5;

/** True if a difference is part of a previous one. */
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

/** The middle value, or the mean of the two in the middle. @param values at least one */
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
