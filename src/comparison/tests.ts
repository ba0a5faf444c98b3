import { OWN_PROBE, sum } from '../basics/index.js';
import { listMeasures } from '../evaluation/index.js';
import { type DoneAttempt, hasPassed, type MeasurementResult } from '../runner/index.js';
import {
  fisherExact,
  mannWhitney,
  minFisherExact,
  type Proportion,
  quartiles,
  signedRank,
  signTest,
} from '../statistics/index.js';
import {
  type ComparedAttempts,
  type Counterparts,
  hasEnoughPairs,
  pairAttempts,
  type RunAttempts,
  type SharedSet,
} from './attempts.js';
import type {
  ComparableProperties,
  EventNamesOf,
  RankContrast,
  RateContrast,
  Spread,
  TestedContrast,
} from './contrast.js';

/** Runs all tests that compare two runs' attempts. */
export function testAttempts(
  { a, b, sets }: ComparedAttempts,
  { measurements, recovery, namesInA, namesInB }: ComparableProperties,
): readonly TestedContrast[] {
  const [inA, inB] = [a.judged, b.judged];
  const counterparts = pairAttempts(sets);
  const ofMeasurements = measurements.flatMap((name) =>
    measurementTests(name, resultsOf(name, inA), resultsOf(name, inB), counterparts),
  );
  const failed = { a: failureProportion(inA), b: failureProportion(inB) };
  return [
    rateTest({ kind: 'no-verdict', a: unjudgedOf(a), b: unjudgedOf(b) }),
    // A measurement that causes all failures already has the same test.
    ...(ofMeasurements.some(({ contrast }) => isSameRate(contrast, failed))
      ? []
      : [rateTest({ kind: 'failed', ...failed })]),
    ...ofMeasurements,
    ...(recovery
      ? rankTest({ kind: 'recovery' }, recoveriesOf(inA), recoveriesOf(inB), counterparts)
      : []),
    ...eventTests(namesAmong(inA, namesInA), namesAmong(inB, namesInB)),
    setsTest(sets),
  ];
}

/** Returns the proportion of attempts that failed for any reason. */
export function failureProportion(attempts: readonly DoneAttempt[]): Proportion {
  const failed = attempts.filter(({ result }) => result.outcome === 'failed');
  return { count: failed.length, of: attempts.length };
}

/** Returns the sets that failed in one run and never in the other. */
export function setsFailingOnlyIn(
  sets: readonly SharedSet[],
  run: 'a' | 'b',
): readonly SharedSet[] {
  const other = run === 'a' ? 'b' : 'a';
  return sets.filter(
    (set) => failureProportion(set[run]).count > 0 && failureProportion(set[other]).count === 0,
  );
}

function unjudgedOf({ judged, unjudged }: RunAttempts): Proportion {
  return { count: unjudged.length, of: judged.length + unjudged.length };
}

function isSameRate(
  contrast: TestedContrast['contrast'],
  { a, b }: Pick<RateContrast, 'a' | 'b'>,
): boolean {
  if (contrast.kind !== 'measurement') return false;
  const isSame = (x: Proportion, y: Proportion) => x.count === y.count && x.of === y.of;
  return isSame(contrast.a, a) && isSame(contrast.b, b);
}

/**
 * Tests the difference between two rates. For an event, only its absence from all of B's attempts
 * is worse.
 */
function rateTest(contrast: RateContrast): TestedContrast {
  const { kind, a, b } = contrast;
  const isWorse = kind === 'event' ? b.count === 0 : b.count * a.of > a.count * b.of;
  const tendency = isWorse ? 'worse' : kind === 'event' ? 'other' : 'better';
  return { contrast, tendency, p: fisherExact(a, b), least: minFisherExact(a, b) };
}

/** An attempt's value, with the margin. */
interface Ranked {
  readonly attempt: DoneAttempt;
  readonly value: number;
  readonly margin?: number;
}

/** Runs a rank test on attempts' values. Returns no test if either run has no values. */
function rankTest(
  about: Pick<RankContrast, 'kind' | 'name' | 'measure'>,
  inA: readonly Ranked[],
  inB: readonly Ranked[],
  counterparts: Counterparts,
): readonly TestedContrast[] {
  if (inA.length === 0 || inB.length === 0) return [];
  const [a, b] = [valuesOf(inA), valuesOf(inB)];
  const differences = differencesOf(inA, inB, counterparts);
  const isPaired = hasEnoughPairs(differences.length, a.length, b.length);
  const { p, least, delta } = isPaired ? signedRank(differences) : mannWhitney(b, a);
  // A recovery has no margin. Longer is worse.
  const isWorse = about.kind === 'recovery' ? delta > 0 : meanMargin(inB) < meanMargin(inA);
  const tendency = isWorse ? 'worse' : 'better';
  const pairs = isPaired && { pairs: differences.length };
  const contrast = { ...about, a: spreadOf(a), b: spreadOf(b), ...pairs, delta };
  return [{ contrast, tendency, p, least }];
}

/** Returns B's value minus A's, for each pair of attempts with the same set. */
function differencesOf(
  inA: readonly Ranked[],
  inB: readonly Ranked[],
  counterparts: Counterparts,
): readonly number[] {
  const values = new Map(inB.map(({ attempt, value }) => [attempt, value]));
  return inA.flatMap(({ attempt, value }) => {
    const counterpart = counterparts.get(attempt);
    const other = counterpart && values.get(counterpart);
    if (other === undefined) return [];
    // Infinity minus infinity would be NaN.
    return [other === value ? 0 : other - value];
  });
}

function meanMargin(all: readonly Ranked[]): number {
  return sum(all.map(({ margin = 0 }) => margin)) / all.length;
}

function valuesOf(all: readonly Ranked[]): readonly number[] {
  return all.map(({ value }) => value);
}

function spreadOf(values: readonly number[]): Spread {
  const [low, median, high] = quartiles(values);
  return { count: values.length, low, median, high };
}

/** The result of a measurement in an attempt. */
interface Result {
  readonly attempt: DoneAttempt;
  readonly measured: MeasurementResult;
}

function resultsOf(name: string, attempts: readonly DoneAttempt[]): readonly Result[] {
  return attempts.flatMap((attempt) =>
    attempt.result.measurements
      .filter((one) => one.name === name)
      .map((measured) => ({ attempt, measured })),
  );
}

/** Tests a measurement's failure rate and its values. */
function measurementTests(
  name: string,
  inA: readonly Result[],
  inB: readonly Result[],
  counterparts: Counterparts,
): readonly TestedContrast[] {
  return [
    rateTest({ kind: 'measurement', name, a: failedOf(inA), b: failedOf(inB) }),
    ...valueTests(name, inA, inB, counterparts),
  ];
}

function failedOf(results: readonly Result[]): Proportion {
  const verdicts = results
    .map(({ measured }) => hasPassed(measured))
    .filter((one) => one !== undefined);
  return { count: verdicts.filter((passed) => !passed).length, of: verdicts.length };
}

/**
 * Tests the left side of each comparison whose values are all in the journal. Also tests the
 * measurement's margin, unless exactly one comparison was tested.
 */
function valueTests(
  name: string,
  inA: readonly Result[],
  inB: readonly Result[],
  counterparts: Counterparts,
): readonly TestedContrast[] {
  const [marginsA, marginsB] = [marginsOf(inA), marginsOf(inB)];
  const values = comparisonsOf([...inA, ...inB]).flatMap((measure, at) => {
    const [a, b] = [sidesOf(inA, at), sidesOf(inB, at)];
    if (a.length !== marginsA.length || b.length !== marginsB.length) return [];
    return rankTest({ kind: 'value', name, measure }, a, b, counterparts);
  });
  if (values.length === 1) return values;
  return [...values, ...rankTest({ kind: 'margin', name }, marginsA, marginsB, counterparts)];
}

function marginsOf(results: readonly Result[]): readonly Ranked[] {
  return results.flatMap(({ attempt, measured: { margin } }) =>
    margin === undefined ? [] : [{ attempt, value: margin, margin }],
  );
}

/** Returns a measurement's comparisons in text order; none if it has groups or no margin. */
function comparisonsIn({ details = {}, margin }: MeasurementResult) {
  const { measures = [], groups } = details;
  return groups === undefined && margin !== undefined ? listMeasures(measures) : [];
}

function comparisonsOf(results: readonly Result[]) {
  for (const { measured } of results) {
    const comparisons = comparisonsIn(measured);
    if (comparisons.length > 0) return comparisons;
  }
  return [];
}

/** Returns the numeric left sides of the comparison at a position. */
function sidesOf(results: readonly Result[], at: number): readonly Ranked[] {
  return results.flatMap(({ attempt, measured }) => {
    const { left, margin } = comparisonsIn(measured)[at] ?? {};
    const value = left === undefined ? Number.NaN : Number(left);
    if (Number.isNaN(value) || margin === undefined) return [];
    return [{ attempt, value, margin: measured.shouldPass ? margin : 0 - margin }];
  });
}

/** Returns recovery times in nanoseconds, infinite for a system that did not recover. */
function recoveriesOf(attempts: readonly DoneAttempt[]): readonly Ranked[] {
  return attempts.flatMap((attempt) => {
    const { recovery } = attempt.result;
    if (recovery === undefined) return [];
    const value = recovery.recovered ? recovery.ms * 1e6 : Number.POSITIVE_INFINITY;
    return [{ attempt, value }];
  });
}

/** Returns the event names in each session that still exists. */
function namesAmong(attempts: readonly DoneAttempt[], namesOf: EventNamesOf) {
  return attempts.map(namesOf).filter((names) => names !== undefined);
}

/** Tests the number of sessions with each event. Excludes Perturb's own events. */
function eventTests(
  inA: readonly ReadonlySet<string>[],
  inB: readonly ReadonlySet<string>[],
): readonly TestedContrast[] {
  const [countsA, countsB] = [sessionsWith(inA), sessionsWith(inB)];
  const names = [...new Set([...countsA.keys(), ...countsB.keys()])].sort();
  return names
    .filter((name) => !name.startsWith(`${OWN_PROBE}.`))
    .map((name) =>
      rateTest({
        ...{ kind: 'event', name },
        a: { count: countsA.get(name) ?? 0, of: inA.length },
        b: { count: countsB.get(name) ?? 0, of: inB.length },
      }),
    );
}

function sessionsWith(sessions: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of sessions) {
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function setsTest(sets: readonly SharedSet[]): TestedContrast {
  const [inA, inB] = [setsFailingOnlyIn(sets, 'a').length, setsFailingOnlyIn(sets, 'b').length];
  const of = sets.length;
  return {
    contrast: { kind: 'sets', a: { count: inA, of }, b: { count: inB, of } },
    tendency: inB > inA ? 'worse' : 'better',
    ...{ p: signTest(inA, inB), least: signTest(inA + inB, 0) },
  };
}
