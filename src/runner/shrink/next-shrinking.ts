import { defined } from '../../values/index.js';
import { failsFor, unexplainedFailures } from '../attempt/causes.js';
import type { End } from '../attempt/stopping.js';
import type { BorderRecord, ShrunkRecord } from '../journal/records.js';
import type { DoneAttempt, RunState } from '../journal/run-state.js';
import type { Dimension } from '../plan/dimension.js';
import {
  keyOf,
  type MutationSet,
  type Plan,
  type Space,
  type SpaceMutator,
  toPlan,
  toSet,
} from '../plan/space.js';
import { addTries, NO_TRIES, type Tries } from './rates.js';
import {
  nextTry,
  type ParameterBorder,
  type ParameterPosition,
  SHRINK_LIMITS,
  type ShrinkLimits,
} from './search.js';

/** Maximum number of a run's shrinking attempts, for all causes together. */
export const MAX_SHRINK_ATTEMPTS = 300;

/** A set to try. */
interface ShrinkTry {
  readonly plan: Plan;
  /** The failed attempt whose set is being shrunk. */
  readonly shrinks: number;
  /** Minimum number of consecutive tries. */
  readonly times: number;
}

/**
 * Returns the next step of shrinking: a set to try, or a result to record. Shrinks one failing set per cause. The step
 * depends only on completed attempts, so a resumed run continues where it stopped.
 *
 * @returns the run's end if shrinking ends early; undefined if no set remains to be shrunk
 */
export function nextShrinking(
  space: Space,
  state: RunState,
): ShrinkTry | ShrunkRecord | End | undefined {
  const [next] = unexplainedFailures(state);
  const shrinkAttempts = state.attempts.filter(({ shrinks }) => shrinks !== undefined);
  const countInTime = countWithin(shrinkAttempts, state.run?.shrinkMs);
  const isFinished = shrinkAttempts.length >= MAX_SHRINK_ATTEMPTS || countInTime !== undefined;
  const countForNext = (list: readonly DoneAttempt[]) =>
    list.filter(({ shrinks }) => shrinks === next?.attempt.n).length;
  const count = countForNext(shrinkAttempts);
  if (next === undefined || (isFinished && count === 0)) return undefined;
  const { attempt: failedAttempt, cause } = next;
  const { n: attemptNumber, plan } = failedAttempt;
  const set = toSet(space, plan) as MutationSet;
  const tries = countTries(space, state, attemptNumber, cause);
  const originalRate = tries.get(keyOf(set))?.rate ?? NO_TRIES;
  // The failure may not be reproducible. A resumed run tries the set again.
  if (originalRate.tried === 0 && originalRate.runs >= 2 * SHRINK_LIMITS.repeats)
    return { reason: 'inconclusive', detail: `shrinking attempt ${attemptNumber}` };
  const decision = nextTry(
    space,
    set,
    { tries, attempts: count },
    limitsOf(countInTime, countForNext(shrinkAttempts.slice(0, countInTime))),
  );
  if ('next' in decision) {
    return { plan: toPlan(space, decision.next), shrinks: attemptNumber, times: decision.times };
  }
  const { result } = decision;
  const { tried, failed: times } = result.rate;
  const reason = countInTime !== undefined && result.reason === 'found' ? 'budget' : result.reason;
  return {
    step: 'shrunk',
    ...{ of: attemptNumber, cause, plan: toPlan(space, result.set), tried, failed: times },
    before: { tried: result.originalRate.tried, failed: result.originalRate.failed },
    ...{ attempts: count, ended: reason, isSmaller: keyOf(result.set) !== keyOf(set) },
    ...{
      interacts: result.interacts,
      idle: result.idle.map((parameter) => nameOf(space, parameter)),
    },
    borders: result.borders.map((border) => borderRecord(space, border)),
  };
}

/**
 * Counts the attempts until their total duration reaches a time limit; undefined if the total stays below the limit.
 */
function countWithin(
  attempts: readonly DoneAttempt[],
  ms = Number.POSITIVE_INFINITY,
): number | undefined {
  let total = 0;
  const index = attempts.findIndex(({ result }) => {
    total += result.ms;
    return total >= ms;
  });
  return index < 0 ? undefined : index + 1;
}

/** Returns the limits of shrinking. After the time limit, shrinking only confirms the results so far. */
function limitsOf(countInTime: number | undefined, attempts: number): ShrinkLimits {
  if (countInTime === undefined) return SHRINK_LIMITS;
  return { ...SHRINK_LIMITS, perBorder: 0, total: attempts + SHRINK_LIMITS.tries };
}

/**
 * Counts each set's tries, including tries for other causes and tries before an interruption. Excludes tries without a
 * verdict that were made for another failed attempt or before an interruption.
 */
function countTries(
  space: Space,
  { attempts, resumedAt }: RunState,
  attemptNumber: number,
  cause: string,
): ReadonlyMap<string, { readonly set: MutationSet; readonly rate: Tries }> {
  const tries = new Map<string, { readonly set: MutationSet; readonly rate: Tries }>();
  for (const [index, attempt] of attempts.entries()) {
    const { shrinks, plan } = attempt;
    if (shrinks === undefined) continue;
    const fails = failsFor(attempt, cause);
    if (fails === undefined && (shrinks !== attemptNumber || index < resumedAt)) continue;
    const set = toSet(space, plan) as MutationSet;
    const key = keyOf(set);
    const run = { runs: 1, tried: fails === undefined ? 0 : 1, failed: fails === true ? 1 : 0 };
    tries.set(key, { set, rate: addTries(tries.get(key)?.rate ?? NO_TRIES, run) });
  }
  return tries;
}

function nameOf(space: Space, { mutator, at }: ParameterPosition): BorderRecord['parameter'] {
  const { server, id, dimensions } = space.mutators[mutator] as SpaceMutator;
  const { key, timing } = dimensions[at] as Dimension;
  return { server, id, key, ...defined({ timing }) };
}

function borderRecord(space: Space, border: ParameterBorder): BorderRecord {
  const { safe, interval, rises, reason, outliers, passingSide } = border;
  const [from, to] = interval;
  const { tried, failed } = passingSide.reduce(
    (total, { rate }) => addTries(total, rate),
    NO_TRIES,
  );
  const nearestValue = passingSide.toSorted((a, b) => b.place - a.place)[0];
  return {
    parameter: nameOf(space, border),
    ...{ safe, from, to, risesFrom: rises[0], risesTo: rises[1], ended: reason },
    ...(nearestValue !== undefined &&
      tried > 0 && { below: { value: nearestValue.value, tried, failed } }),
    odd: outliers.map(({ value, rate }) => ({ value, tried: rate.tried, failed: rate.failed })),
  };
}
