import { ActuatorError, type Clock, type LiveActuator } from '../../actuators/acting/index.js';
import type { Mutation } from '../../mutators/index.js';
import type { HostEvent, ResetCause } from './host.js';
import {
  type Action,
  type Event,
  type LifecycleStep,
  type Policy,
  retryDelay,
} from './lifecycle.js';

import type { StateJournal } from './state-journal.js';

import { StateError } from './state-journal.js';

/** What the actions of a mutator work on. */
interface Means {
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
export async function performAction(
  action: Action,
  mutation: Mutation | undefined,
  means: Means,
  signal: AbortSignal,
): Promise<ActionEnd> {
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

/** Why something failed, for the log. What is not an error of the user's system is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ActuatorError || error instanceof StateError) return error.message;
  return `a bug in Perturb: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** For how long what failed may still take effect, as far as is known. */
function lateMsOf(error: unknown): number | undefined {
  return error instanceof ActuatorError ? error.lateMs : undefined;
}

/** A step that has something done. */
export type ActionStep = Extract<LifecycleStep, { readonly action: unknown }>;

/** How what was done has ended. */
export type ActionEnd = Extract<Event, { readonly kind: 'done' | 'failed' }>;

/** What was done, how that ended, how long it took, and what follows. */
interface Done {
  readonly step: ActionStep;
  readonly ended: ActionEnd;
  readonly next: LifecycleStep;
  readonly ms: number;
}

/** An event without the mutator that it is about. */
type Report = HostEvent extends infer E ? (E extends HostEvent ? Omit<E, 'id'> : never) : never;

/** What there is to tell about an action that has ended. */
export function reportOf(
  { step, ended, next, ms }: Done,
  cause: ResetCause,
  mutation: string | undefined,
  policy: Policy,
): Report | undefined {
  const reason = ended.kind === 'failed' ? ended.reason : undefined;
  switch (step.action) {
    case 'record':
    case 'clear':
      return reason === undefined ? undefined : { kind: 'record-failed', reason };
    case 'inject': {
      const about = { mutation: mutation ?? '', ms };
      return reason === undefined
        ? { kind: 'injected', ...about }
        : { kind: 'inject-failed', ...about, reason, ...doubtOf(ended) };
    }
    case 'reset': {
      const failedFirst = step.state.kind === 'resetting' && step.state.cause !== undefined;
      const about = { cause: failedFirst ? ('failed-injection' as const) : cause, ms };
      if (reason === undefined) return { kind: 'reset', ...about };
      const failures = next.state.kind === 'maybe-active' ? next.state.failures : 0;
      const retryInMs = retryDelay(failures, policy);
      return {
        kind: 'reset-failed',
        ...about,
        reason,
        ...(retryInMs === undefined ? {} : { retryInMs }),
      };
    }
  }
}

/** That what was injected may still take effect, and for how long. */
function doubtOf(ended: ActionEnd): { readonly lateMs?: number } {
  return ended.kind === 'failed' && ended.lateMs !== undefined ? { lateMs: ended.lateMs } : {};
}
