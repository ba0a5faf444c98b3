import type { Clock, LiveActuator } from '../../actuators/acting/index.js';
import type { Mutation } from '../../mutators/index.js';
import type { StateJournal } from '../state/journal.js';
import type { Ended } from './host-report.js';
import type { Action } from './lifecycle.js';
import { lateMsOf, reasonOf } from './reasons.js';

/** What the actions of a mutator work on. */
export interface Means {
  readonly id: string;
  readonly actuator: LiveActuator;
  readonly journal: StateJournal;
  readonly clock: Clock;
}

/**
 * Does what a step of the lifecycle asks for, and gives how that ended.
 *
 * @param mutation what is injected, or recorded before it is
 * @param signal breaks off what the actuator does
 */
export async function carryOut(
  action: Action,
  mutation: Mutation | undefined,
  means: Means,
  signal: AbortSignal,
): Promise<Ended> {
  const { clock } = means;
  try {
    await call(action, mutation, means, signal);
    return { kind: 'done', at: clock.now() };
  } catch (error) {
    const lateMs = action === 'inject' ? lateMsOf(error) : undefined;
    const failed = { kind: 'failed', at: clock.now(), reason: reasonOf(error) } as const;
    return lateMs === undefined ? failed : { ...failed, lateMs };
  }
}

async function call(
  action: Action,
  mutation: Mutation | undefined,
  { id, actuator, journal, clock }: Means,
  signal: AbortSignal,
): Promise<void> {
  switch (action) {
    case 'record': {
      const what = mutation && { mutation: mutation.id };
      return journal.touch(id, { ...what, since: clock.date() });
    }
    case 'inject':
      return actuator.inject(mutation as Mutation, signal);
    case 'reset':
      return actuator.reset(signal);
    case 'clear':
      return journal.clear(id);
  }
}
