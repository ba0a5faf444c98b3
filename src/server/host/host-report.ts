import { type Policy, retryDelay } from './alarms.js';
import type { HostEvent, ResetCause } from './host-events.js';
import type { Event, Step } from './lifecycle.js';

/** A step that has something done. */
export type ActionStep = Extract<Step, { readonly action: unknown }>;

/** How what was done has ended. */
export type Ended = Extract<Event, { readonly kind: 'done' | 'failed' }>;

/** What was done, how that ended, how long it took, and what follows. */
export interface Done {
  readonly step: ActionStep;
  readonly ended: Ended;
  readonly next: Step;
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
function doubtOf(ended: Ended): { readonly lateMs?: number } {
  return ended.kind === 'failed' && ended.lateMs !== undefined ? { lateMs: ended.lateMs } : {};
}
