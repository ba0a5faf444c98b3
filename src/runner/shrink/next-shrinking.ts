import { defined } from '../../values/index.js';
import { failsFor, openFailures } from '../attempt/causes.js';
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
  type ParameterAt,
  type ParameterBorder,
  SHRINK_LIMITS,
  type ShrinkLimits,
} from './search.js';

/** Maximum number of shrinking attempts of a run, for all causes together. */
export const MOST_SHRINKING = 300;

/** A set to try. */
interface ShrinkTry {
  readonly plan: Plan;
  /** The failed attempt to shrink. */
  readonly shrinks: number;
  /** The minimum number of consecutive tries. */
  readonly times: number;
}

/**
 * Returns the next step to shrink a failing set of each cause: a set to try, or a result to record. It depends only
 * on the completed attempts, so an interrupted run continues where it stopped.
 *
 * @returns the reason if shrinking ends early; undefined when everything is shrunk
 */
export function nextShrinking(
  space: Space,
  state: RunState,
): ShrinkTry | ShrunkRecord | End | undefined {
  const [next] = openFailures(state);
  const made = state.attempts.filter(({ shrinks }) => shrinks !== undefined);
  const inTime = countWithin(made, state.run?.shrinkMs);
  const isOver = made.length >= MOST_SHRINKING || inTime !== undefined;
  const ofNext = (all: readonly DoneAttempt[]) =>
    all.filter(({ shrinks }) => shrinks === next?.attempt.n).length;
  const own = ofNext(made);
  if (next === undefined || (isOver && own === 0)) return undefined;
  const { attempt: failed, cause } = next;
  const { n: of, plan } = failed;
  const set = toSet(space, plan) as MutationSet;
  const tries = triesOf(space, state, of, cause);
  const before = tries.get(keyOf(set))?.rate ?? NO_TRIES;
  // The failure may not be repeatable: a resumed run tries again.
  if (before.tried === 0 && before.asked >= 2 * SHRINK_LIMITS.repeats)
    return { reason: 'inconclusive', detail: `shrinking attempt ${of}` };
  const decision = nextTry(
    space,
    set,
    { tries, made: own },
    limitsOf(inTime, ofNext(made.slice(0, inTime))),
  );
  if ('ask' in decision) {
    return { plan: toPlan(space, decision.ask), shrinks: of, times: decision.times };
  }
  const { found } = decision;
  const { tried, failed: times } = found.rate;
  const ended = inTime !== undefined && found.ended === 'found' ? 'budget' : found.ended;
  return {
    step: 'shrunk',
    ...{ of, cause, plan: toPlan(space, found.set), tried, failed: times },
    before: { tried: found.before.tried, failed: found.before.failed },
    ...{ attempts: own, ended, isSmaller: keyOf(found.set) !== keyOf(set) },
    ...{ interacts: found.interacts, idle: found.idle.map((one) => nameOf(space, one)) },
    borders: found.borders.map((one) => borderRecord(space, one)),
  };
}

/** Counts the attempts until their total duration exceeds a time; undefined if it does not. */
function countWithin(
  attempts: readonly DoneAttempt[],
  ms = Number.POSITIVE_INFINITY,
): number | undefined {
  let spent = 0;
  const last = attempts.findIndex(({ result }) => {
    spent += result.ms;
    return spent >= ms;
  });
  return last < 0 ? undefined : last + 1;
}

/**
 * Returns the limits of shrinking. Once the time is over, no further border is searched for, and the results so far
 * are confirmed.
 */
function limitsOf(inTime: number | undefined, made: number): ShrinkLimits {
  if (inTime === undefined) return SHRINK_LIMITS;
  return { ...SHRINK_LIMITS, perBorder: 0, total: made + SHRINK_LIMITS.tries };
}

/**
 * Counts the tries of each set. Attempts for another cause count for this one too, and so do those before an
 * interruption; but a set that could not be judged then is tried again.
 */
function triesOf(
  space: Space,
  { attempts, resumedAt }: RunState,
  of: number,
  cause: string,
): ReadonlyMap<string, { readonly set: MutationSet; readonly rate: Tries }> {
  const tries = new Map<string, { readonly set: MutationSet; readonly rate: Tries }>();
  for (const [at, attempt] of attempts.entries()) {
    const { shrinks, plan } = attempt;
    if (shrinks === undefined) continue;
    const fails = failsFor(attempt, cause);
    if (fails === undefined && (shrinks !== of || at < resumedAt)) continue;
    const set = toSet(space, plan) as MutationSet;
    const key = keyOf(set);
    const one = { asked: 1, tried: fails === undefined ? 0 : 1, failed: fails === true ? 1 : 0 };
    tries.set(key, { set, rate: addTries(tries.get(key)?.rate ?? NO_TRIES, one) });
  }
  return tries;
}

function nameOf(space: Space, { mutator, at }: ParameterAt): BorderRecord['parameter'] {
  const { server, id, dimensions } = space.mutators[mutator] as SpaceMutator;
  const { key, timing } = dimensions[at] as Dimension;
  return { server, id, key, ...defined({ timing }) };
}

function borderRecord(space: Space, border: ParameterBorder): BorderRecord {
  const { safe, interval, rises, ended, odd, below } = border;
  const [from, to] = interval;
  const { tried, failed } = below.reduce((all, { rate }) => addTries(all, rate), NO_TRIES);
  const nearest = below.toSorted((a, b) => b.place - a.place)[0];
  return {
    parameter: nameOf(space, border),
    ...{ safe, from, to, risesFrom: rises[0], risesTo: rises[1], ended },
    ...(nearest !== undefined && tried > 0 && { below: { value: nearest.value, tried, failed } }),
    odd: odd.map(({ value, rate }) => ({ value, tried: rate.tried, failed: rate.failed })),
  };
}
