import { failsFor, type OpenFailure, openFailures } from '../attempt/causes.js';
import { SHRINK_LIMITS, shrink } from '../attempt/shrink.js';
import type { End } from '../attempt/stopping.js';
import type { DoneAttempt } from '../journal/run-state.js';
import { keyOf, type MutationSet, type Plan, type Space, toPlan, toSet } from '../plan/space.js';
import type { JournaledState } from './begin-run.js';

/** The most attempts of shrinking that a run makes, however many causes there are. */
export const MOST_SHRINKING = 300;

/** What failing sets are shrunk with. */
interface ShrinkSetup {
  readonly space: Space;
  readonly state: JournaledState;
  /** Makes attempts with a set, for the failed one with the number `of`; or returns what ends the run. */
  readonly attempt: (
    plan: Plan,
    of: number,
    times: number,
  ) => Promise<readonly DoneAttempt[] | End>;
  /** Why no further attempt may be made. */
  readonly interrupted: () => End | undefined;
  readonly onBegin: (of: number) => void;
}

/**
 * Shrinks a failing set of each cause. After an interruption it continues where it stopped.
 *
 * @returns why it ended early, if it did
 */
export async function shrinkRun(setup: ShrinkSetup): Promise<End | undefined> {
  const { state } = setup;
  for (;;) {
    const [next] = openFailures(state.current);
    const made = state.current.attempts.filter(({ shrinks }) => shrinks !== undefined);
    const isBegun = made.some(({ shrinks }) => shrinks === next?.attempt.n);
    if (next === undefined || (made.length >= MOST_SHRINKING && !isBegun)) return undefined;
    const end = await shrinkOne(setup, next);
    if (end !== undefined) return end;
  }
}

async function shrinkOne(
  { space, state, ...setup }: ShrinkSetup,
  { attempt: failed, cause }: OpenFailure,
): Promise<End | undefined> {
  const { n: of, plan } = failed;
  const initial = toSet(space, plan) as MutationSet;
  setup.onBegin(of);
  const known = new Map(knownTries(space, state.current.attempts));
  let times = 1;
  const ahead = (least: number) => {
    times = least;
  };
  const limits = { ...SHRINK_LIMITS, ahead };
  const shrinking = shrink(space, initial, limits);
  let asked = shrinking.next();
  while (!asked.done) {
    const key = keyOf(asked.value);
    const tries = known.get(key) ?? [];
    if (tries.length === 0) {
      const made =
        setup.interrupted() ?? (await setup.attempt(toPlan(space, asked.value), of, times));
      if ('reason' in made) return made;
      tries.push(...made);
      known.set(key, tries);
    }
    asked = shrinking.next(failsFor(tries.shift() as DoneAttempt, cause));
  }
  const { set, ...found } = asked.value;
  // It is not known whether it can be repeated: a resumed run looks again.
  if (found.before.tried === 0)
    return { reason: 'inconclusive', detail: `shrinking attempt ${of}` };
  await state.write({ step: 'shrunk', of, cause, plan: toPlan(space, set), ...found });
  return undefined;
}

/**
 * The tries of each set that could be judged, in their order: those that were made before an
 * interruption, and those for another cause, which say something about this one too.
 */
function knownTries(
  space: Space,
  attempts: readonly DoneAttempt[],
): ReadonlyMap<string, DoneAttempt[]> {
  const known = new Map<string, DoneAttempt[]>();
  for (const attempt of attempts) {
    const { outcome } = attempt.result;
    if (attempt.shrinks === undefined || outcome === 'inconclusive' || outcome === 'guarded')
      continue;
    const key = keyOf(toSet(space, attempt.plan) as MutationSet);
    known.set(key, [...(known.get(key) ?? []), attempt]);
  }
  return known;
}
