/*
 * What becomes of one mutator, as a pure function: in a state an event happens,
 * and the step says which state follows and what is to be done. While something
 * is being done no other operation begins; whoever runs the machine sees to it.
 */

/** Nothing is being done, and the next operation may begin. */
export type Rest =
  | { readonly kind: 'idle' }
  /** A mutation is in force since that time of the clock. */
  | { readonly kind: 'active'; readonly since: number }
  /** A mutation may be in force: so many resets have failed, or none was tried since a crash. */
  | { readonly kind: 'maybe-active'; readonly failures: number; readonly reason: string };

/** Something is being done: what its name says. */
export type Busy =
  /** The journal is told, before the system is touched. */
  | { readonly kind: 'recording'; readonly next: 'inject' | 'reset'; readonly from: Rest }
  | { readonly kind: 'injecting' }
  /** `cause` is why the injection failed, where that is why it is reset. */
  | { readonly kind: 'resetting'; readonly failures: number; readonly cause?: string }
  /** The journal is told that there is nothing more to reset. */
  | { readonly kind: 'clearing'; readonly cause?: string };

export type State = Rest | Busy;

export type Event =
  /** Operations. They happen at rest. */
  | { readonly kind: 'inject' }
  | { readonly kind: 'reset' }
  /** The mutation that is in force since then has been so for too long. */
  | { readonly kind: 'expire'; readonly since: number }
  /** It is time to try a failed reset again. */
  | { readonly kind: 'retry' }
  /** The server ends, or begins: nothing may be in force. */
  | { readonly kind: 'leave' }
  /** How the action ended, and when. */
  | { readonly kind: 'done'; readonly at: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** What is to be done. It ends with the event `done` or `failed`. */
export type Action = 'record' | 'inject' | 'reset' | 'clear';

/** How an operation ended. */
export type Answer =
  | { readonly kind: 'injected' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** There was nothing to do any more. */
  | { readonly kind: 'stale' };

export type Step =
  | { readonly state: Busy; readonly action: Action }
  | { readonly state: Rest; readonly answer: Answer };

const IDLE: Rest = { kind: 'idle' };

/** What follows an event. Throws for an event that can't happen in the state: that is a bug. */
export function transition(state: State, event: Event): Step {
  switch (state.kind) {
    case 'idle':
    case 'active':
    case 'maybe-active':
      return begin(state, event);
    case 'recording':
      if (event.kind === 'failed') return { state: state.from, answer: event };
      if (event.kind !== 'done') break;
      return state.next === 'inject'
        ? { state: { kind: 'injecting' }, action: 'inject' }
        : { state: { kind: 'resetting', failures: 0 }, action: 'reset' };
    case 'injecting':
      if (event.kind === 'done') {
        return { state: { kind: 'active', since: event.at }, answer: { kind: 'injected' } };
      }
      if (event.kind !== 'failed') break;
      return { state: { kind: 'resetting', failures: 0, cause: event.reason }, action: 'reset' };
    case 'resetting':
      if (event.kind === 'done') {
        return { state: { kind: 'clearing', ...causeOf(state) }, action: 'clear' };
      }
      if (event.kind !== 'failed') break;
      return {
        state: { kind: 'maybe-active', failures: state.failures + 1, reason: event.reason },
        answer: { kind: 'failed', reason: join(state.cause, event.reason) },
      };
    case 'clearing':
      // A journal that can't be told errs on the safe side: the next start resets once more.
      if (event.kind !== 'done' && event.kind !== 'failed') break;
      return state.cause === undefined
        ? { state: IDLE, answer: { kind: 'reset' } }
        : { state: IDLE, answer: { kind: 'failed', reason: state.cause } };
  }
  throw new Error(`a mutator can't take ${event.kind} while ${state.kind}`);
}

/** An operation begins. What the journal knows already need not be recorded for a reset. */
function begin(state: Rest, event: Event): Step {
  switch (event.kind) {
    case 'inject':
      return { state: { kind: 'recording', next: 'inject', from: state }, action: 'record' };
    case 'reset':
      return state.kind === 'idle'
        ? { state: { kind: 'recording', next: 'reset', from: state }, action: 'record' }
        : { state: { kind: 'resetting', failures: 0 }, action: 'reset' };
    case 'leave':
      return state.kind === 'idle'
        ? { state, answer: { kind: 'stale' } }
        : { state: { kind: 'resetting', failures: 0 }, action: 'reset' };
    case 'expire':
      return state.kind === 'active' && state.since === event.since
        ? { state: { kind: 'resetting', failures: 0 }, action: 'reset' }
        : { state, answer: { kind: 'stale' } };
    case 'retry':
      return state.kind === 'maybe-active'
        ? { state: { kind: 'resetting', failures: state.failures }, action: 'reset' }
        : { state, answer: { kind: 'stale' } };
    default:
      throw new Error(`nothing is being done that could have ${event.kind}`);
  }
}

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
  /** How long to wait after the first, second... failure of a reset; then it is given up. */
  readonly retryDelaysMs: readonly number[];
}

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
      const delay = policy.retryDelaysMs[state.failures - 1];
      return delay === undefined ? undefined : { at: now + delay, event: { kind: 'retry' } };
    }
  }
}

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

function causeOf({ cause }: { readonly cause?: string }): { readonly cause?: string } {
  return cause === undefined ? {} : { cause };
}

function join(cause: string | undefined, reason: string): string {
  return cause === undefined ? reason : `${cause}; then the reset failed: ${reason}`;
}
