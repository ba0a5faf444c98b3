import type { Objective } from '../../objective/index.js';
import { defined } from '../../values/index.js';
import {
  type AttemptRecord,
  END_REASONS,
  type EndRecord,
  type MeasuredRecord,
  type MeasurementResult,
  OUTCOMES,
  type Outcome,
  type RunRecord,
} from '../journal/records.js';
import { type DoneAttempt, findSetAside, type RunState } from '../journal/run-state.js';
import { countSets } from '../plan/finite.js';
import { keyOf, type MutationSet, type Space, type TriedSet, toSet } from '../plan/space.js';
import { strategies } from '../plan/strategies.js';
import { hasPassed } from './judge.js';

/** Maximum number of consecutive inconclusive attempts. */
const MAX_INCONCLUSIVE = 10;

/**
 * Maximum number of consecutive attempts without a verdict. Tolerates preconditions that are rarely true, but ends a
 * run whose preconditions never become true.
 */
const MAX_WITHOUT_VERDICT = 50;

/** Number of attempts after which a run ends if the sets of all attempts were set aside. */
const MAX_SET_ASIDE = 10;

export type End = Pick<EndRecord, 'reason' | 'detail'>;

/** Counts of an objective's attempts by outcome, excluding shrinking attempts. */
export interface OutcomeCounts extends Readonly<Record<Outcome, number>> {
  readonly attempts: number;
}

export function tally({ attempts }: Pick<RunState, 'attempts'>): OutcomeCounts {
  const ownAttempts = attempts.filter(({ shrinks }) => shrinks === undefined);
  const count = (outcome: Outcome) =>
    ownAttempts.filter(({ result }) => result.outcome === outcome).length;
  const counts = OUTCOMES.map((outcome) => [outcome, count(outcome)] as const);
  return {
    attempts: ownAttempts.length,
    ...(Object.fromEntries(counts) as Record<Outcome, number>),
  };
}

/**
 * True if all measurements agree with their `should_pass`; false if any measurement disagrees. Otherwise, returns
 * undefined, because the list is empty or a measurement is undecided.
 */
function haveAllPassed(measurements: readonly MeasurementResult[]): boolean | undefined {
  const verdicts = measurements.map(hasPassed);
  if (verdicts.includes(false)) return false;
  return verdicts.length === 0 || verdicts.includes(undefined) ? undefined : true;
}

/** True if an attempt has a verdict. */
export function isJudged({ outcome }: MeasuredRecord): boolean {
  return outcome === 'passed' || outcome === 'failed';
}

/** Returns an objective with a run's stopping conditions. A replay's only condition is the number of repetitions. */
export function withLimitsOf(
  objective: Objective,
  { attempts, replay }: Pick<RunRecord, 'attempts' | 'replay'>,
): Objective {
  if (replay !== undefined) {
    const stoppingConditions = { attempts: BigInt(replay.times) };
    const measurements = objective.measurements.map((measurement) => ({
      ...measurement,
      stoppingConditions: {},
    }));
    return { ...objective, stoppingConditions, measurements };
  }
  if (attempts === undefined) return objective;
  const stoppingConditions = { ...objective.stoppingConditions, attempts: BigInt(attempts) };
  return { ...objective, stoppingConditions };
}

/**
 * Returns the first stopping condition that is met, if any. Passing and failing conditions come first, with the
 * objective's conditions before the measurements' conditions. Skipped and inconclusive attempts have no verdict and
 * count only towards time. An attempt that failed because of the command is counted by its measurements.
 */
export function reasonToEnd(objective: Objective, state: RunState): End | undefined {
  const { passed, failed } = tally(state);
  // These counts ignore failures of the command and the recovery.
  const { passed: passingCount, failed: failingCount } = tallyBy(state, haveAllPassed);
  const { stoppingConditions: conditions } = objective;
  if (isReached(failingCount, conditions.failingMeasurements)) return { reason: 'failing' };
  if (isReached(passingCount, conditions.passingMeasurements)) return { reason: 'passing' };
  for (const { name, stoppingConditions: ownConditions } of objective.measurements) {
    const { passed: passes, failed: failures } = tallyOf(state, name);
    if (isReached(failures, ownConditions.failingMeasurements))
      return { reason: 'failing', detail: name };
    if (isReached(passes, ownConditions.passingMeasurements))
      return { reason: 'passing', detail: name };
  }
  if (isReached(passed + failed, conditions.attempts)) return { reason: 'attempts' };
  if (conditions.timeMs !== undefined && state.elapsed >= conditions.timeMs)
    return { reason: 'time' };
  const ownAttempts = state.attempts
    .slice(state.resumedAt)
    .filter(({ shrinks }) => shrinks === undefined);
  const triedAttempts = ownAttempts.filter(({ result }) => !result.aside);
  if (triedAttempts.length === 0 && ownAttempts.length >= MAX_SET_ASIDE)
    return { reason: 'set-aside' };
  if (countLast(triedAttempts, ['inconclusive']) >= MAX_INCONCLUSIVE)
    return { reason: 'inconclusive' };
  return countLast(ownAttempts, ['inconclusive', 'skipped', 'guarded']) >= MAX_WITHOUT_VERDICT
    ? { reason: 'no-verdict' }
    : undefined;
}

/** True if the attempts in progress may reach the maximum number of attempts, so no further attempt may start yet. */
export function mayBeLast(objective: Objective, state: RunState): boolean {
  const { passed, failed } = tally(state);
  const count = state.openAttempts.filter(isRegularAttempt).length;
  return count > 0 && isReached(passed + failed + count, objective.stoppingConditions.attempts);
}

/** True for a regular attempt; false for baseline attempts, shrinking attempts and repetitions. */
export function isRegularAttempt({
  baseline,
  shrinks,
  repeats,
}: Omit<AttemptRecord, 'step'>): boolean {
  return !baseline && shrinks === undefined && repeats === undefined;
}

/** Maximum number of draws to find a set that was not set aside. If all draws fail, all sets count as set aside. */
const MAX_DRAWS = 1_000;

/**
 * Returns a function that chooses the next attempt's set, or returns undefined if all sets are set aside. The choice
 * depends on the seed, on completed attempts, and on the sets in progress on other benches.
 */
export function createPlanner(
  space: Space,
  { strategy, seed }: Pick<RunRecord, 'strategy' | 'seed'>,
): (state: Pick<RunState, 'attempts' | 'openAttempts' | 'allowedAt'>) => MutationSet | undefined {
  const draw = strategies[strategy](space, seed);
  const count = countSets(space);
  const cache = new WeakMap<DoneAttempt, TriedSet>();
  const toTriedSet = (attempt: DoneAttempt): TriedSet => {
    const triedSet = cache.get(attempt) ?? {
      set: toSet(space, attempt.plan) ?? [],
      margins: new Map(
        attempt.result.measurements.flatMap(({ name, margin }) =>
          margin === undefined ? [] : [[name, margin] as const],
        ),
      ),
    };
    cache.set(attempt, triedSet);
    return triedSet;
  };
  return ({ attempts, openAttempts, allowedAt }) => {
    const ownAttempts = attempts.filter(({ shrinks }) => shrinks === undefined);
    const setAside = new Set(findSetAside({ attempts, ...defined({ allowedAt }) }));
    const isUntried = (attempt: DoneAttempt) =>
      attempt.result.outage === true && !setAside.has(attempt);
    const ownOpen = openAttempts.filter(isRegularAttempt);
    const attemptsAfter = (n: number) =>
      [...ownAttempts, ...ownOpen].filter((attempt) => attempt.n > n);
    const keys = new Set([...setAside].map(({ plan }) => keyOf(toSet(space, plan) ?? [])));
    // This set was not tried because of an outage.
    for (const { n, plan } of ownAttempts.filter(isUntried)) {
      const set = toSet(space, plan);
      const isSame = (attempt: Pick<AttemptRecord, 'plan'>) =>
        keyOf(toSet(space, attempt.plan) ?? []) === keyOf(set ?? []);
      const isAvailable = set !== undefined && !keys.has(keyOf(set));
      if (isAvailable && !attemptsAfter(n).some(isSame)) return set;
    }
    const triedSets = [
      ...ownAttempts.filter((attempt) => !isUntried(attempt)).map(toTriedSet),
      ...ownOpen.map(({ plan }) => ({ set: toSet(space, plan) ?? [], margins: new Map() })),
    ];
    if (count !== undefined && BigInt(keys.size) >= count) return undefined;
    for (let n = triedSets.length; n < triedSets.length + MAX_DRAWS; n += 1) {
      const set = draw(n, triedSets);
      if (!keys.has(keyOf(set))) return set;
    }
    return undefined;
  };
}

function isReached(count: number, limit: bigint | undefined): boolean {
  return limit !== undefined && BigInt(count) >= limit;
}

/** Counts a measurement's passes and failures in attempts with a verdict. */
function tallyOf(state: Pick<RunState, 'attempts'>, name: string) {
  return tallyBy(state, (measurements) => {
    const result = measurements.find((measurement) => measurement.name === name);
    return result && hasPassed(result);
  });
}

function tallyBy(
  { attempts }: Pick<RunState, 'attempts'>,
  verdict: (measurements: readonly MeasurementResult[]) => boolean | undefined,
): { readonly passed: number; readonly failed: number } {
  const judgedAttempts = attempts.filter(
    ({ result, shrinks }) => shrinks === undefined && isJudged(result),
  );
  const verdicts = judgedAttempts.map(({ result }) => verdict(result.measurements));
  const count = (countedVerdict: boolean) =>
    verdicts.filter((verdict) => verdict === countedVerdict).length;
  return { passed: count(true), failed: count(false) };
}

/** Counts the consecutive attempts with any of the given outcomes at the end of a list. */
function countLast(attempts: readonly DoneAttempt[], outcomes: readonly Outcome[]): number {
  const index = attempts.findLastIndex(({ result }) => !outcomes.includes(result.outcome));
  return attempts.length - 1 - index;
}

/** Describes a run's end. */
export function endText({ reason, detail }: Pick<EndRecord, 'reason' | 'detail'>): string {
  const text = END_REASONS[reason];
  if (detail === undefined) return text;
  const isReason = ['baseline', 'no-baseline', 'teardown-failed'].includes(reason);
  return isReason ? `${text}: ${detail}` : `${text} (${detail})`;
}

/** End reasons of stopping conditions. A run with any other end can be resumed. */
const FINAL: ReadonlySet<EndRecord['reason']> = new Set(['attempts', 'time', 'passing', 'failing']);

/** True if a run with this end cannot be resumed. */
export function isFinal({ reason }: Pick<EndRecord, 'reason'>): boolean {
  return FINAL.has(reason);
}
