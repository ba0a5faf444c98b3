/* The states of a mutator, and what can be read off them. */

/**
 * An injection was given up that may still take effect: a request that the
 * system works on, say. Until a time of the clock a reset is not the last one.
 */
interface LateEffectWindow {
  readonly until: number;
  /** How many resets have been done meanwhile. */
  readonly resets: number;
}

/** Nothing is being done, and the next operation may begin. */
export type Rest =
  | { readonly kind: 'idle' }
  /** A mutation is in force since that time of the clock. */
  | { readonly kind: 'active'; readonly since: number; readonly doubt?: LateEffectWindow }
  /**
   * A mutation may be in force: so many resets in a row have failed, none was
   * tried since a crash, or there is doubt.
   */
  | {
      readonly kind: 'maybe-active';
      readonly failures: number;
      readonly reason: string;
      readonly doubt?: LateEffectWindow;
    };

/** Something is being done: what its name says. */
type Busy =
  /** The journal is told, before the system is touched. */
  | { readonly kind: 'recording'; readonly next: 'inject' | 'reset'; readonly from: Rest }
  | { readonly kind: 'injecting'; readonly doubt?: LateEffectWindow }
  | {
      readonly kind: 'resetting';
      readonly failures: number;
      /** Why the injection failed, where that is why it is reset. */
      readonly cause?: string;
      readonly doubt?: LateEffectWindow;
      /** Whether it ends a doubt whose time is over. */
      readonly isLast: boolean;
    }
  /** The journal is told that there is nothing more to reset. */
  | { readonly kind: 'clearing'; readonly cause?: string };

export type State = Rest | Busy;

/** Why a mutator that is in a state may be left mutated when nothing more is done; else undefined. */
export function residueOf(state: State): string | undefined {
  switch (state.kind) {
    case 'idle':
    case 'clearing':
      return undefined;
    case 'active':
      return 'it was not reset';
    case 'maybe-active':
      return state.reason;
    case 'recording':
      return residueOf(state.from);
    case 'injecting':
      return 'its injection has not ended';
    case 'resetting':
      return 'its reset has not ended';
  }
}

/** How many resets in a row have failed. */
export function failuresOf(state: State): number {
  switch (state.kind) {
    case 'maybe-active':
    case 'resetting':
      return state.failures;
    case 'recording':
      return failuresOf(state.from);
    default:
      return 0;
  }
}

/*
 * What becomes of one mutator, as a pure function: in a state an event happens,
 * and the step says which state follows and what is to be done. While something
 * is being done no other operation begins; whoever runs the machine sees to it.
 */

export type Event =
  /** Operations. They happen at rest. */
  | { readonly kind: 'inject' }
  | { readonly kind: 'reset' }
  /** The mutation that is in force since then has been so for too long. */
  | { readonly kind: 'expire'; readonly since: number }
  /** It is time to try a failed reset again, or to reset once more in doubt. */
  | { readonly kind: 'retry'; readonly isLast: boolean }
  /** The server ends, or begins: nothing may be in force. */
  | { readonly kind: 'leave' }
  /** How the action ended, and when. */
  | { readonly kind: 'done'; readonly at: number }
  | {
      readonly kind: 'failed';
      readonly at: number;
      readonly reason: string;
      /** For how long what was not waited for may still take effect. */
      readonly lateMs?: number;
    };

/** What is to be done. It ends with the event `done` or `failed`. */
export type Action = 'record' | 'inject' | 'reset' | 'clear';

/** How an operation ended. */
export type Answer =
  | { readonly kind: 'injected' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** There was nothing to do any more. */
  | { readonly kind: 'stale' };

export type LifecycleStep =
  | { readonly state: Busy; readonly action: Action }
  | { readonly state: Rest; readonly answer: Answer };

const IDLE: Rest = { kind: 'idle' };

/** Why a mutator is reset again though it was reset. */
export const IN_DOUBT = 'an injection that timed out or was interrupted may still take effect';

/** What follows an event. Throws for an event that cannot happen in the state: that is a bug. */
export function transition(state: State, event: Event): LifecycleStep {
  switch (state.kind) {
    case 'idle':
    case 'active':
    case 'maybe-active':
      return begin(state, event);
    case 'recording':
      if (event.kind === 'failed') return { state: state.from, answer: failed(event.reason) };
      if (event.kind !== 'done') break;
      return state.next === 'inject'
        ? { state: { kind: 'injecting', ...doubtOf(state.from) }, action: 'inject' }
        : reset(state.from, { isLast: true });
    case 'injecting':
      if (event.kind === 'done') {
        const active = { kind: 'active', since: event.at, ...doubtOf(state) } as const;
        return { state: active, answer: { kind: 'injected' } };
      }
      if (event.kind !== 'failed') break;
      return reset(doubtful(state, event), { isLast: false, cause: event.reason });
    case 'resetting':
      if (event.kind === 'done') return settle(state, event.at);
      if (event.kind !== 'failed') break;
      return {
        state: {
          kind: 'maybe-active',
          failures: state.failures + 1,
          reason: event.reason,
          ...doubtOf(state),
        },
        answer: failed(join(state.cause, event.reason)),
      };
    case 'clearing':
      // A journal that cannot be told errs on the safe side: the next start resets once more.
      if (event.kind !== 'done' && event.kind !== 'failed') break;
      return { state: IDLE, answer: answerOf(state.cause) };
  }
  throw new Error(`a mutator cannot take ${event.kind} while ${state.kind}`);
}

/** An operation begins. What the journal knows already need not be recorded for a reset. */
function begin(state: Rest, event: Event): LifecycleStep {
  switch (event.kind) {
    case 'inject':
      return { state: { kind: 'recording', next: 'inject', from: state }, action: 'record' };
    case 'reset':
      return state.kind === 'idle'
        ? { state: { kind: 'recording', next: 'reset', from: state }, action: 'record' }
        : reset(state, { isLast: true });
    case 'leave':
      return state.kind === 'idle'
        ? { state, answer: { kind: 'stale' } }
        : reset(state, { isLast: true });
    case 'expire':
      return state.kind === 'active' && state.since === event.since
        ? reset(state, { isLast: true })
        : { state, answer: { kind: 'stale' } };
    case 'retry':
      return state.kind === 'maybe-active'
        ? reset(state, { isLast: event.isLast, failures: state.failures })
        : { state, answer: { kind: 'stale' } };
    default:
      throw new Error(`nothing is being done that could have ${event.kind}`);
  }
}

function reset(
  from: { readonly doubt?: LateEffectWindow } | Rest,
  how: { readonly isLast: boolean; readonly failures?: number; readonly cause?: string },
): LifecycleStep {
  return { state: { kind: 'resetting', failures: 0, ...doubtOf(from), ...how }, action: 'reset' };
}

/** A reset has been done: it was the last one unless something may still take effect. */
function settle({ doubt, isLast, cause }: Busy & { kind: 'resetting' }, at: number): LifecycleStep {
  if (doubt === undefined || (isLast && at >= doubt.until)) {
    return { state: { kind: 'clearing', ...(cause !== undefined && { cause }) }, action: 'clear' };
  }
  const next = { ...doubt, resets: doubt.resets + 1 };
  return {
    state: { kind: 'maybe-active', failures: 0, reason: IN_DOUBT, doubt: next },
    answer: answerOf(cause),
  };
}

/** The doubt after an injection has failed: that which lasts longest. */
function doubtful(
  { doubt }: { readonly doubt?: LateEffectWindow },
  { at, lateMs }: { readonly at: number; readonly lateMs?: number },
): { readonly doubt?: LateEffectWindow } {
  if (lateMs === undefined) return doubtOf({ ...(doubt && { doubt }) });
  return { doubt: { until: Math.max(at + lateMs, doubt?.until ?? 0), resets: 0 } };
}

function doubtOf(state: { readonly doubt?: LateEffectWindow } | Rest): {
  readonly doubt?: LateEffectWindow;
} {
  return 'doubt' in state && state.doubt !== undefined ? { doubt: state.doubt } : {};
}

function answerOf(cause: string | undefined): Answer {
  return cause === undefined ? { kind: 'reset' } : failed(cause);
}

function failed(reason: string): Answer {
  return { kind: 'failed', reason };
}

function join(cause: string | undefined, reason: string): string {
  return cause === undefined ? reason : `${cause}; then the reset failed: ${reason}`;
}

/** How long a mutator may rest in a state, and what happens then. */
interface Alarm {
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
