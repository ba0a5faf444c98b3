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
import { asideIn, type DoneAttempt, type RunState } from '../journal/run-state.js';
import { setCount } from '../plan/finite.js';
import { keyOf, type MutationSet, type Space, type Tried, toSet } from '../plan/space.js';
import { strategies } from '../plan/strategies.js';
import { hasPassed } from './judge.js';

/** Maximum number of consecutive inconclusive attempts, from which nothing is learnt. */
const MOST_INCONCLUSIVE = 10;

/**
 * Maximum number of consecutive attempts without a verdict: preconditions that are rarely true get time, but one
 * that never becomes true does not keep a run going forever.
 */
const MOST_WITHOUT_VERDICT = 50;

/** Number of tried sets that end a run if all of them are set aside. */
const MOST_ASIDE = 10;

export type End = Pick<EndRecord, 'reason' | 'detail'>;

/** The number of an objective's attempts with each outcome, without those of shrinking. */
export interface OutcomeCounts extends Readonly<Record<Outcome, number>> {
  readonly attempts: number;
}

export function tally({ attempts }: Pick<RunState, 'attempts'>): OutcomeCounts {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const count = (outcome: Outcome) => own.filter(({ result }) => result.outcome === outcome).length;
  const counts = OUTCOMES.map((outcome) => [outcome, count(outcome)] as const);
  return { attempts: own.length, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
}

/** True if all measurements agree with their `should_pass`; undefined if one is undecided or there are none. */
function haveAllPassed(measurements: readonly MeasurementResult[]): boolean | undefined {
  const passed = measurements.map(hasPassed);
  if (passed.includes(false)) return false;
  return passed.length === 0 || passed.includes(undefined) ? undefined : true;
}

/** True if an attempt has a verdict. */
export function isJudged({ outcome }: MeasuredRecord): boolean {
  return outcome === 'passed' || outcome === 'failed';
}

/** Returns an objective with the stopping conditions of a run; in a replay, the number of repetitions. */
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
 * Returns the reason to make no further attempt, if any: the first stopping condition that is met, those of the
 * objective before those of its measurements. A skipped or inconclusive attempt has judged no set of mutations, and
 * counts towards none but the time. One that failed because of its command counts by its measurements alone.
 */
export function reasonToEnd(objective: Objective, state: RunState): End | undefined {
  const { passed, failed } = tally(state);
  // In spite of the command's status.
  const { passed: passing, failed: failing } = tallyBy(state, haveAllPassed);
  const { stoppingConditions: stop } = objective;
  if (reached(failing, stop.failingMeasurements)) return { reason: 'failing' };
  if (reached(passing, stop.passingMeasurements)) return { reason: 'passing' };
  for (const { name, stoppingConditions: own } of objective.measurements) {
    const { passed: good, failed: bad } = tallyOf(state, name);
    if (reached(bad, own.failingMeasurements)) return { reason: 'failing', detail: name };
    if (reached(good, own.passingMeasurements)) return { reason: 'passing', detail: name };
  }
  if (reached(passed + failed, stop.attempts)) return { reason: 'attempts' };
  if (stop.timeMs !== undefined && state.elapsed >= stop.timeMs) return { reason: 'time' };
  const own = state.attempts.slice(state.resumedAt).filter(({ shrinks }) => shrinks === undefined);
  const others = own.filter(({ result }) => !result.aside);
  if (others.length === 0 && own.length >= MOST_ASIDE) return { reason: 'set-aside' };
  if (lastInARow(others, ['inconclusive']) >= MOST_INCONCLUSIVE) return { reason: 'inconclusive' };
  return lastInARow(own, ['inconclusive', 'skipped', 'guarded']) >= MOST_WITHOUT_VERDICT
    ? { reason: 'no-verdict' }
    : undefined;
}

/** True if the attempts in progress may be the last ones: no further one is begun yet. */
export function mayBeLast(objective: Objective, state: RunState): boolean {
  const { passed, failed } = tally(state);
  const own = state.open.filter(isOwn).length;
  return own > 0 && reached(passed + failed + own, objective.stoppingConditions.attempts);
}

/** True if an attempt is one of the objective's own, and not a repetition or a part of another. */
export function isOwn({ baseline, shrinks, repeats }: Omit<AttemptRecord, 'step'>): boolean {
  return !baseline && shrinks === undefined && repeats === undefined;
}

/** After this many draws, a strategy is assumed to have no other sets than those that are set aside. */
const MOST_DRAWN = 1_000;

/**
 * Returns a function that chooses the set of the next attempt; undefined if all sets are set aside. The choice
 * depends on the seed and on the journal so far: the completed attempts, and the sets of those in progress at other
 * benches.
 */
export function planner(
  space: Space,
  { strategy, seed }: Pick<RunRecord, 'strategy' | 'seed'>,
): (state: Pick<RunState, 'attempts' | 'open' | 'allowedAt'>) => MutationSet | undefined {
  const draw = strategies[strategy](space, seed);
  const count = setCount(space);
  const known = new WeakMap<DoneAttempt, Tried>();
  const triedIn = (attempt: DoneAttempt): Tried => {
    const tried = known.get(attempt) ?? {
      set: toSet(space, attempt.plan) ?? [],
      margins: new Map(
        attempt.result.measurements.flatMap(({ name, margin }) =>
          margin === undefined ? [] : [[name, margin] as const],
        ),
      ),
    };
    known.set(attempt, tried);
    return tried;
  };
  return ({ attempts, open, allowedAt }) => {
    const made = attempts.filter(({ shrinks }) => shrinks === undefined);
    const aside = new Set(asideIn({ attempts, ...defined({ allowedAt }) }));
    const isUntried = (one: DoneAttempt) => one.result.outage === true && !aside.has(one);
    const underWay = open.filter(isOwn);
    const later = (n: number) => [...made, ...underWay].filter((one) => one.n > n);
    const keys = new Set([...aside].map(({ plan }) => keyOf(toSet(space, plan) ?? [])));
    // A set that could not be tried because of an outage is tried again.
    for (const { n, plan } of made.filter(isUntried)) {
      const set = toSet(space, plan);
      const isSame = (one: Pick<AttemptRecord, 'plan'>) =>
        keyOf(toSet(space, one.plan) ?? []) === keyOf(set ?? []);
      const isLeft = set !== undefined && !keys.has(keyOf(set));
      if (isLeft && !later(n).some(isSame)) return set;
    }
    const tried = [
      ...made.filter((one) => !isUntried(one)).map(triedIn),
      ...underWay.map(({ plan }) => ({ set: toSet(space, plan) ?? [], margins: new Map() })),
    ];
    if (count !== undefined && BigInt(keys.size) >= count) return undefined;
    for (let n = tried.length; n < tried.length + MOST_DRAWN; n += 1) {
      const set = draw(n, tried);
      if (!keys.has(keyOf(set))) return set;
    }
    return undefined;
  };
}

function reached(count: number, limit: bigint | undefined): boolean {
  return limit !== undefined && BigInt(count) >= limit;
}

/** Counts the results of a measurement that agree with its `should_pass`, in attempts that passed or failed. */
function tallyOf(state: Pick<RunState, 'attempts'>, name: string) {
  return tallyBy(state, (measurements) => {
    const measured = measurements.find((measurement) => measurement.name === name);
    return measured && hasPassed(measured);
  });
}

function tallyBy(
  { attempts }: Pick<RunState, 'attempts'>,
  verdict: (measurements: readonly MeasurementResult[]) => boolean | undefined,
): { readonly passed: number; readonly failed: number } {
  const judged = attempts.filter(
    ({ result, shrinks }) => shrinks === undefined && isJudged(result),
  );
  const verdicts = judged.map(({ result }) => verdict(result.measurements));
  const count = (wanted: boolean) => verdicts.filter((verdict) => verdict === wanted).length;
  return { passed: count(true), failed: count(false) };
}

/** Counts the last consecutive attempts with one of these outcomes. */
function lastInARow(attempts: readonly DoneAttempt[], outcomes: readonly Outcome[]): number {
  const last = attempts.findLastIndex(({ result }) => !outcomes.includes(result.outcome));
  return attempts.length - 1 - last;
}

/** Describes the end of a run. */
export function endText({ reason, detail }: Pick<EndRecord, 'reason' | 'detail'>): string {
  const text = END_REASONS[reason];
  if (detail === undefined) return text;
  const isReason = ['baseline', 'no-baseline', 'teardown-failed'].includes(reason);
  return isReason ? `${text}: ${detail}` : `${text} (${detail})`;
}

/** Decisions of the stopping conditions. After any other end a run may be resumed. */
const FINAL: ReadonlySet<EndRecord['reason']> = new Set(['attempts', 'time', 'passing', 'failing']);

/** True if a run that ended in this way cannot be resumed. */
export function isFinal({ reason }: Pick<EndRecord, 'reason'>): boolean {
  return FINAL.has(reason);
}
