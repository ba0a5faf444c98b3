import type { Objective } from '../../objective/index.js';
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
import type { DoneAttempt, RunState } from '../journal/run-state.js';
import { keyOf, type MutationSet, type Space, type Tried, toSet } from '../plan/space.js';
import { strategies } from '../plan/strategies.js';
import { hasPassed } from './judge.js';

/** This many inconclusive attempts in a row end a run, because nothing is learnt. */
const MOST_INCONCLUSIVE = 10;

/**
 * This many attempts in a row without a verdict end a run too: preconditions that are rarely true are
 * given time, and one that never becomes true does not keep a run going for ever.
 */
const MOST_WITHOUT_VERDICT = 50;

export type End = Pick<EndRecord, 'reason' | 'detail'>;

/** How many attempts of an objective had which outcome, not counting those of shrinking. */
export interface OutcomeCounts extends Readonly<Record<Outcome, number>> {
  readonly attempts: number;
}

export function tally({ attempts }: Pick<RunState, 'attempts'>): OutcomeCounts {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const count = (outcome: Outcome) => own.filter(({ result }) => result.outcome === outcome).length;
  const counts = OUTCOMES.map((outcome) => [outcome, count(outcome)] as const);
  return { attempts: own.length, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
}

/** Whether all measurements came out as they should; undefined where one is undecided or there are none. */
function haveAllPassed(measurements: readonly MeasurementResult[]): boolean | undefined {
  const passed = measurements.map(hasPassed);
  if (passed.includes(false)) return false;
  return passed.length === 0 || passed.includes(undefined) ? undefined : true;
}

/** Whether an attempt came to a verdict. */
export function isJudged({ outcome }: MeasuredRecord): boolean {
  return outcome === 'passed' || outcome === 'failed';
}

/** An objective with the stopping conditions of a run; those of a replay say how often it repeats. */
export function withLimitsOf(
  objective: Objective,
  { attempts, replay }: Pick<RunRecord, 'attempts' | 'replay'>,
): Objective {
  if (replay !== undefined) {
    const stoppingConditions = { attempts: BigInt(replay.times) };
    const measurements = objective.measurements.map((one) => ({ ...one, stoppingConditions: {} }));
    return { ...objective, stoppingConditions, measurements };
  }
  if (attempts === undefined) return objective;
  const stoppingConditions = { ...objective.stoppingConditions, attempts: BigInt(attempts) };
  return { ...objective, stoppingConditions };
}

/**
 * Why no further attempt is made, or undefined: the first condition that is met, those of the
 * objective before those of its measurements. All of them are OR'd. An attempt that was skipped or is
 * inconclusive has judged no set of mutations: it counts towards none but the time. One that failed
 * because of its command passes or fails here by its measurements alone.
 */
export function reasonToEnd(objective: Objective, state: RunState): End | undefined {
  const { passed, failed } = tally(state);
  // Whatever the command's status was.
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
  if (lastInARow(state, ['inconclusive']) >= MOST_INCONCLUSIVE) return { reason: 'inconclusive' };
  return lastInARow(state, ['inconclusive', 'skipped', 'guarded']) >= MOST_WITHOUT_VERDICT
    ? { reason: 'no-verdict' }
    : undefined;
}

/** Whether the attempts that are under way may be the last ones, so that no further one is begun yet. */
export function mayBeLast(objective: Objective, state: RunState): boolean {
  const { passed, failed } = tally(state);
  const own = state.open.filter(isOwn).length;
  return own > 0 && reached(passed + failed + own, objective.stoppingConditions.attempts);
}

/** Whether an attempt is one of the objective's own, and not a repetition or a part of another. */
export function isOwn({ baseline, shrinks, repeats }: Omit<AttemptRecord, 'step'>): boolean {
  return !baseline && shrinks === undefined && repeats === undefined;
}

/**
 * Chooses the set of the next attempt. It follows from the seed and from what the journal has by then: the
 * attempts that were made, and the sets of those that are under way at other benches.
 */
export function planner(
  space: Space,
  { strategy, seed }: Pick<RunRecord, 'strategy' | 'seed'>,
): (state: Pick<RunState, 'attempts' | 'open'>) => MutationSet {
  const draw = strategies[strategy](space, seed);
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
  return ({ attempts, open }) => {
    const made = attempts.filter(({ shrinks }) => shrinks === undefined);
    const underWay = open.filter(isOwn);
    const later = (n: number) => [...made, ...underWay].filter((one) => one.n > n);
    // A set that an outage kept from being tried is tried again.
    for (const { n, plan } of made.filter(({ result }) => result.outage)) {
      const set = toSet(space, plan);
      const isSame = (one: Pick<AttemptRecord, 'plan'>) =>
        keyOf(toSet(space, one.plan) ?? []) === keyOf(set ?? []);
      if (set !== undefined && !later(n).some(isSame)) return set;
    }
    const tried = [
      ...made.filter(({ result }) => !result.outage).map(triedIn),
      ...underWay.map(({ plan }) => ({ set: toSet(space, plan) ?? [], margins: new Map() })),
    ];
    return draw(tried.length, tried);
  };
}

function reached(count: number, limit: bigint | undefined): boolean {
  return limit !== undefined && BigInt(count) >= limit;
}

/** How often a measurement came out as its `should_pass` says, in attempts that passed or failed. */
function tallyOf(state: Pick<RunState, 'attempts'>, name: string) {
  return tallyBy(state, (measurements) => {
    const measured = measurements.find((one) => one.name === name);
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
  const count = (wanted: boolean) => verdicts.filter((one) => one === wanted).length;
  return { passed: count(true), failed: count(false) };
}

/** How many of the last attempts in a row had one of these outcomes, since the run was begun or resumed. */
function lastInARow({ attempts, resumedAt }: RunState, outcomes: readonly Outcome[]): number {
  const own = attempts.slice(resumedAt).filter(({ shrinks }) => shrinks === undefined);
  const last = own.findLastIndex(({ result }) => !outcomes.includes(result.outcome));
  return own.length - 1 - last;
}

/** Why a run has ended, in words. */
export function endText({ reason, detail }: Pick<EndRecord, 'reason' | 'detail'>): string {
  const text = END_REASONS[reason];
  if (detail === undefined) return text;
  return reason === 'baseline' ? `${text}: ${detail}` : `${text} (${detail})`;
}

/** What its stopping conditions decide. After any other end a run may be resumed. */
const FINAL: ReadonlySet<EndRecord['reason']> = new Set(['attempts', 'time', 'passing', 'failing']);

/** Whether a run that ended this way has ended for good. */
export function isFinal({ reason }: Pick<EndRecord, 'reason'>): boolean {
  return FINAL.has(reason);
}
