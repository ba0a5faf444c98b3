import type { Outcome } from '../journal/records.js';

/*
 * One attempt as a pure state machine: what has happened goes in, what is to be done next comes
 * out. It neither waits nor acts. Whatever happens, it comes to the resets of the whole set, and
 * judges nothing before they are done.
 */

/** What is known of a mutation of the set. */
type MutationPhase =
  /** Its precondition is not true yet, or nothing was asked for. */
  | 'waiting'
  | 'injecting'
  | 'active'
  /** It was refused, and the mutator is as it was. */
  | 'refused'
  /** It was not acknowledged, and may be active. */
  | 'unknown';

type AttemptPhase =
  /** Injections are made before the command starts. */
  | 'preparing'
  /** The command runs, or the time does. */
  | 'running'
  /** It is over: injections under way come to their end, and the command is ended. */
  | 'ending'
  | 'resetting'
  | 'measuring'
  | 'done';

export interface AttemptState {
  readonly phase: AttemptPhase;
  readonly mutations: readonly MutationPhase[];
  /** The mutations whose resets are under way or still to come. */
  readonly resets: ReadonlySet<number>;
  /** Mutators that may be mutated and could not be reset. */
  readonly stuck: readonly { readonly at: number; readonly reason: string }[];
  readonly hasCommand: boolean;
  readonly command: 'none' | 'starting' | 'running' | 'ending' | 'ended';
  /** Which mutations wait for a precondition. */
  readonly waits: readonly boolean[];
  /** Why the attempt is inconclusive. */
  readonly reasons: readonly string[];
  readonly interrupted: boolean;
}

/** What has happened. */
export type AttemptEvent =
  | { readonly kind: 'begin' }
  | { readonly kind: 'injected'; readonly at: number }
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly reason: string;
      /** Whether the mutator may be mutated nevertheless. */
      readonly maybe: boolean;
    }
  | { readonly kind: 'started' }
  | { readonly kind: 'not-started'; readonly reason: string }
  /** The precondition of these mutations is true. */
  | { readonly kind: 'true'; readonly at: readonly number[] }
  /** The command has ended; with a reason, it could not tell anything. */
  | { readonly kind: 'ended'; readonly reason?: string }
  | { readonly kind: 'time-up' }
  /** The attempt is not to go on: a signal, or a disk that is full. */
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'reset'; readonly at: number; readonly failed?: string }
  | { readonly kind: 'measured'; readonly outcome: Outcome }
  /** The measuring was interrupted. */
  | { readonly kind: 'unmeasured' };

/** What is to be done. */
export type AttemptAction =
  | { readonly do: 'inject'; readonly at: number }
  | { readonly do: 'start-command' }
  /** Start the attempt's time, and watch preconditions if there are any. */
  | { readonly do: 'watch' }
  | { readonly do: 'end-command' }
  | { readonly do: 'reset'; readonly at: number }
  | { readonly do: 'measure' }
  | { readonly do: 'finish'; readonly result: AttemptResult };

/** How an attempt ended. */
export type AttemptResult =
  | {
      readonly kind: 'measured';
      readonly outcome: Outcome;
      readonly reasons: readonly string[];
    }
  /** It is to be repeated. */
  | { readonly kind: 'interrupted' }
  | {
      readonly kind: 'stuck';
      readonly stuck: readonly { readonly at: number; readonly reason: string }[];
    };

type Transition = readonly [AttemptState, readonly AttemptAction[]];

export interface AttemptShape {
  /** For each mutation whether it waits for a precondition; the others are made at once. */
  readonly waits: readonly boolean[];
  readonly hasCommand: boolean;
}

export function newAttempt({ waits, hasCommand }: AttemptShape): AttemptState {
  return {
    phase: 'preparing',
    mutations: waits.map(() => 'waiting' as const),
    resets: new Set(),
    stuck: [],
    hasCommand,
    command: 'none',
    waits,
    reasons: [],
    interrupted: false,
  };
}

/** What follows when something happens. What comes too late changes nothing but what is known. */
export function advance(state: AttemptState, event: AttemptEvent): Transition {
  switch (event.kind) {
    case 'begin':
      return begin(state);
    case 'injected':
      return settled(withMutation(state, event.at, 'active'));
    case 'refused':
      return over(
        withReason(
          withMutation(state, event.at, event.maybe ? 'unknown' : 'refused'),
          event.reason,
        ),
      );
    case 'started':
      return settled({ ...state, command: 'running' });
    case 'not-started':
      return over(withReason({ ...state, command: 'ended' }, event.reason));
    case 'true':
      return trigger(state, event.at);
    case 'ended':
      return over(
        event.reason === undefined
          ? { ...state, command: 'ended' }
          : withReason({ ...state, command: 'ended' }, event.reason),
      );
    case 'time-up':
      return over(state);
    case 'interrupt':
      return over({ ...state, interrupted: state.phase !== 'done' });
    case 'reset':
      return wasReset(state, event);
    case 'measured':
      return finish(state, event.outcome);
    case 'unmeasured':
      return done(state, { kind: 'interrupted' });
  }
}

function begin(state: AttemptState): Transition {
  const atOnce = everyMutation(state).filter((at) => !state.waits[at]);
  return atOnce.length === 0 ? run(state) : injectAll(state, atOnce);
}

function everyMutation({ mutations }: AttemptState): readonly number[] {
  return [...mutations.keys()];
}

function injectAll(state: AttemptState, which: readonly number[]): Transition {
  const mutations = state.mutations.map((one, at) => (which.includes(at) ? 'injecting' : one));
  return [{ ...state, mutations }, which.map((at) => ({ do: 'inject', at }))];
}

/** Starts what the system is to go through. */
function run(state: AttemptState): Transition {
  const running: AttemptState = { ...state, phase: 'running' };
  return state.hasCommand
    ? [{ ...running, command: 'starting' }, [{ do: 'watch' }, { do: 'start-command' }]]
    : [running, [{ do: 'watch' }]];
}

function trigger(state: AttemptState, at: readonly number[]): Transition {
  if (state.phase !== 'running') return [state, []];
  return injectAll(
    state,
    at.filter((one) => state.mutations[one] === 'waiting'),
  );
}

function isUnderWay({ mutations, command }: AttemptState): boolean {
  return mutations.includes('injecting') || command === 'starting' || command === 'ending';
}

/** Something that was under way has come to its end. */
function settled(state: AttemptState): Transition {
  if (state.phase === 'ending') return endCommand(state);
  if (state.phase === 'preparing' && !state.mutations.includes('injecting')) {
    return run(state);
  }
  return [state, []];
}

/** The attempt is over; also one that is so already. */
function over(state: AttemptState): Transition {
  if (state.phase === 'preparing' || state.phase === 'running' || state.phase === 'ending') {
    return endCommand({ ...state, phase: 'ending' });
  }
  return [state, []];
}

/** Ends the command first: it shall not see the system reset under it. */
function endCommand(state: AttemptState): Transition {
  if (state.command === 'running') {
    return [{ ...state, command: 'ending' }, [{ do: 'end-command' }]];
  }
  if (isUnderWay(state)) return [state, []];
  const resets = everyMutation(state);
  const resetting: AttemptState = { ...state, phase: 'resetting', resets: new Set(resets) };
  if (resets.length === 0) return allReset(resetting);
  return [resetting, resets.map((at) => ({ do: 'reset', at }))];
}

function wasReset(
  state: AttemptState,
  { at, failed }: { readonly at: number; readonly failed?: string },
): Transition {
  const resets = new Set(state.resets);
  resets.delete(at);
  const phase = state.mutations[at];
  const mayBeMutated = phase === 'active' || phase === 'unknown' || phase === 'injecting';
  const stuck =
    failed !== undefined && mayBeMutated ? [...state.stuck, { at, reason: failed }] : state.stuck;
  const next = { ...state, resets, stuck };
  return state.phase !== 'resetting' || resets.size > 0 ? [next, []] : allReset(next);
}

function allReset(state: AttemptState): Transition {
  const { stuck, interrupted, reasons } = state;
  if (stuck.length > 0) return done(state, { kind: 'stuck', stuck });
  if (interrupted) return done(state, { kind: 'interrupted' });
  if (reasons.length > 0) return finish(state, 'inconclusive');
  return [{ ...state, phase: 'measuring' }, [{ do: 'measure' }]];
}

/** Ends an attempt that is all reset with its outcome. */
function finish(state: AttemptState, outcome: Outcome): Transition {
  if (state.phase === 'done') return [state, []];
  return done(state, { kind: 'measured', outcome, reasons: state.reasons });
}

function done(state: AttemptState, result: AttemptResult): Transition {
  return [{ ...state, phase: 'done' }, [{ do: 'finish', result }]];
}

function withMutation(state: AttemptState, at: number, phase: MutationPhase): AttemptState {
  return { ...state, mutations: state.mutations.map((one, index) => (index === at ? phase : one)) };
}

function withReason(state: AttemptState, reason: string): AttemptState {
  return { ...state, reasons: [...state.reasons, reason] };
}
