import type { Event } from './lifecycle.js';
import type { Rest } from './states.js';

/** How long a mutator may rest in a state, and what happens then. */
export interface Alarm {
  /** The time on the clock. */
  readonly at: number;
  readonly event: Event;
}

/** When to act without being asked. */
export interface Policy {
  /** How long a mutation may be in force. */
  readonly maxActiveMs?: number;
  /** How long to wait after the first, second... failure of a reset; the last for all that follow. */
  readonly retryDelaysMs: readonly number[];
  /** Whether the server ends or begins: then a reset is tried again a few times only. */
  readonly isLeaving: boolean;
}

/** How often a reset that fails is tried again when nobody can wait for longer. */
const LAST_RETRIES = 3;

/** How soon a mutator in doubt is reset again at first; each time the pause doubles. */
const FIRST_PAUSE_MS = 250;

/** What ends a rest that begins `now`, or undefined where only a new operation does. */
export function alarmOf(state: Rest, now: number, policy: Policy): Alarm | undefined {
  switch (state.kind) {
    case 'idle':
      return undefined;
    case 'active': {
      const { maxActiveMs } = policy;
      if (maxActiveMs === undefined) return undefined;
      return { at: state.since + maxActiveMs, event: { kind: 'expire', since: state.since } };
    }
    case 'maybe-active': {
      const { failures, doubt } = state;
      const event: Event = { kind: 'retry', isLast: policy.isLeaving };
      if (failures === 0) {
        if (doubt === undefined || doubt.until <= now) return undefined;
        const pause = FIRST_PAUSE_MS * 2 ** (doubt.resets - 1);
        return { at: Math.min(doubt.until, now + pause), event };
      }
      const delay = retryDelay(failures, policy);
      return delay === undefined ? undefined : { at: now + delay, event };
    }
  }
}

/** How long to wait after so many failures of a reset; undefined when it is given up. */
export function retryDelay(failures: number, policy: Policy): number | undefined {
  const { retryDelaysMs, isLeaving } = policy;
  if (isLeaving && failures > LAST_RETRIES) return undefined;
  return retryDelaysMs[failures - 1] ?? retryDelaysMs.at(-1);
}
