import type { ShrunkRecord } from '../journal/records.js';
import type { DoneAttempt, RunState } from '../journal/run-state.js';
import { keyOf, type MutationSet, type Plan, type Space, toPlan, toSet } from '../plan/space.js';
import { failsFor, openFailures } from './causes.js';
import { MOST_TRIES, SHRINK_LIMITS, shrink } from './shrink.js';
import type { End } from './stopping.js';

/** The most attempts of shrinking that a run makes, however many causes there are. */
export const MOST_SHRINKING = 300;

/** A set that is to be tried. */
interface ShrinkTry {
  readonly plan: Plan;
  /** The failed attempt that is shrunk. */
  readonly shrinks: number;
  /** How many times it will be tried in a row, at least. */
  readonly times: number;
}

/**
 * What is to be done next to shrink a failing set of each cause: a set to be tried, or a result to be noted.
 * It follows from the attempts that were made, so an interrupted run continues where it stopped.
 *
 * @returns why shrinking ends early, if it does; undefined when everything is shrunk
 */
export function nextShrinking(
  space: Space,
  state: RunState,
): ShrinkTry | ShrunkRecord | End | undefined {
  const [next] = openFailures(state);
  const made = state.attempts.filter(({ shrinks }) => shrinks !== undefined);
  const isBegun = made.some(({ shrinks }) => shrinks === next?.attempt.n);
  const inTime = countWithin(made, state.run?.shrinkMs);
  const isOver = made.length >= MOST_SHRINKING || inTime !== undefined;
  if (next === undefined || (isOver && !isBegun)) return undefined;
  const { attempt: failed, cause } = next;
  const { n: of, plan } = failed;
  const known = knownTries(space, state, of);
  let times = 1;
  const ahead = (least: number) => {
    times = least;
  };
  const own = made.slice(0, inTime).filter(({ shrinks }) => shrinks === of);
  // Once the time is over, what was found by then is confirmed.
  const budget = inTime === undefined ? SHRINK_LIMITS.budget : own.length + MOST_TRIES;
  const limits = { ...SHRINK_LIMITS, budget, ahead };
  const shrinking = shrink(space, toSet(space, plan) as MutationSet, limits);
  let asked = shrinking.next();
  while (!asked.done) {
    const answer = known.get(keyOf(asked.value))?.shift();
    if (answer === undefined) return { plan: toPlan(space, asked.value), shrinks: of, times };
    asked = shrinking.next(failsFor(answer, cause));
  }
  const { set, ...found } = asked.value;
  // It is not known whether it can be repeated: a resumed run looks again.
  if (found.before.tried === 0)
    return { reason: 'inconclusive', detail: `shrinking attempt ${of}` };
  return { step: 'shrunk', of, cause, plan: toPlan(space, set), ...found };
}

/** How many attempts took so long together; undefined as long as they have not. */
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
 * The tries of each set, in their order. Those for another cause say something about this one too, and so do
 * those before an interruption; but what could not be judged then is tried again.
 */
function knownTries(
  space: Space,
  { attempts, resumedAt }: RunState,
  of: number,
): ReadonlyMap<string, DoneAttempt[]> {
  const known = new Map<string, DoneAttempt[]>();
  for (const [at, attempt] of attempts.entries()) {
    const { shrinks, plan, result } = attempt;
    const { outcome } = result;
    const isUnjudged = outcome === 'inconclusive' || outcome === 'guarded';
    if (shrinks === undefined || (isUnjudged && (shrinks !== of || at < resumedAt))) continue;
    const key = keyOf(toSet(space, plan) as MutationSet);
    known.set(key, [...(known.get(key) ?? []), attempt]);
  }
  return known;
}
