import { attemptsToShrink, failedFor, failedIn } from '../loop/failed.js';
import type { DoneAttempt } from '../loop/run-state.js';
import type { End } from '../loop/stopping.js';
import { type Plan, toPlan, toSet } from '../plan/plan.js';
import type { Space } from '../plan/space.js';
import { SHRINK_LIMITS, shrink } from '../shrink/shrink.js';
import type { JournaledState } from './journaled-state.js';

/** What failing sets are made smaller with. */
export interface ShrinkSetup {
  readonly space: Space;
  readonly state: JournaledState;
  /** Makes an attempt for the failed one that has the number; what it gives ends the run. */
  readonly attempt: (plan: Plan, of: number) => Promise<End | undefined>;
  /** Why no further attempt is to be made. */
  readonly interrupted: () => End | undefined;
  readonly onBegin: (of: number) => void;
}

/**
 * Shrinks a failing set of each measurement that failed. After an interruption it goes on where it
 * was.
 *
 * @returns why it ended early, if it did
 */
export async function shrinkRun(setup: ShrinkSetup): Promise<End | undefined> {
  const { state } = setup;
  for (const attempt of attemptsToShrink(state.current)) {
    if (state.current.shrunk.some(({ of }) => of === attempt.n)) continue;
    const end = await shrinkOne(setup, attempt);
    if (end !== undefined) return end;
  }
  return undefined;
}

async function shrinkOne(setup: ShrinkSetup, failed: DoneAttempt): Promise<End | undefined> {
  const { space, state } = setup;
  const initial = toSet(space, failed.plan);
  if (initial === undefined) return undefined;
  setup.onBegin(failed.n);
  const names = failedIn(failed);
  const shrinking = shrink(space, initial, SHRINK_LIMITS);
  let asked = shrinking.next();
  // What was asked before an interruption is known.
  for (const done of state.current.attempts) {
    if (done.shrinks === failed.n) asked = shrinking.next(failedFor(done, names));
  }
  while (!asked.done) {
    const interrupted = setup.interrupted();
    if (interrupted !== undefined) return interrupted;
    const end = await setup.attempt(toPlan(space, asked.value), failed.n);
    if (end !== undefined) return end;
    asked = shrinking.next(failedFor(state.current.attempts.at(-1) as DoneAttempt, names));
  }
  const { set, before, ...rest } = asked.value;
  await state.write({ step: 'shrunk', of: failed.n, plan: toPlan(space, set), before, ...rest });
  return undefined;
}
