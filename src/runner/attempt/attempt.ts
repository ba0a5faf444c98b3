import type { Outcome } from '../journal/records.js';

/*
 * One attempt as a pure state machine: what has happened goes in, what is to be done next comes
 * out. It neither waits nor acts. Whatever happens, it gets to the resets of the whole set, and
 * judges nothing before they are done. The command ends before the resets, except where the guard
 * became true, or where the system has to recover from the mutations.
 */

/** What is known of a mutation of the set. */
type MutationPhase =
  /** Its precondition is not true yet, or its injection was not asked for yet. */
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
  /** The command is running or, without one, the time. */
  | 'running'
  /** It is over: injections under way are finishing, and the command is being ended. */
  | 'ending'
  | 'resetting'
  /** Everything is reset, and the command goes on until the system has recovered. */
  | 'recovering'
  | 'measuring'
  | 'done';

export interface AttemptState extends Required<AttemptShape> {
  readonly phase: AttemptPhase;
  readonly mutations: readonly MutationPhase[];
  /** For each mutation, whether its reset was asked for, or is done. */
  readonly resets: readonly ('asked' | 'done' | undefined)[];
  /** Mutators that may be mutated and could not be reset. */
  readonly stuck: readonly { readonly at: number; readonly reason: string }[];
  readonly command: 'none' | 'starting' | 'running' | 'ending' | 'ended';
  /** Why the attempt is inconclusive. */
  readonly reasons: readonly string[];
  readonly interrupted: boolean;
  /** Whether the guard became true. */
  readonly guarded: boolean;
}

interface ResetEvent {
  readonly kind: 'reset';
  readonly at: number;
  /** Why it could not be reset. */
  readonly failed?: string;
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
  /** The command has ended; with a reason if it could not tell anything. */
  | { readonly kind: 'ended'; readonly reason?: string }
  | { readonly kind: 'time-up' }
  | { readonly kind: 'guarded' }
  /** The system has recovered, or not within its time; with a reason if that is not known. */
  | { readonly kind: 'recovery-over'; readonly reason?: string }
  /** The attempt must not go on: a signal, or a full disk. */
  | { readonly kind: 'interrupt' }
  | ResetEvent
  | { readonly kind: 'measured'; readonly outcome: Outcome }
  /** Measuring was interrupted. */
  | { readonly kind: 'unmeasured' };

/** What is to be done. */
export type AttemptAction =
  | { readonly do: 'inject'; readonly at: number }
  | { readonly do: 'start-command' }
  /** Start the attempt's time, and watch preconditions if there are any. */
  | { readonly do: 'watch' }
  | { readonly do: 'end-command' }
  | { readonly do: 'reset'; readonly at: number }
  /** Start the time to recover, and watch for recovery. */
  | { readonly do: 'watch-recovery' }
  /** Nothing more will come: look once more at whether the system has recovered. */
  | { readonly do: 'end-recovery' }
  | { readonly do: 'measure' }
  | { readonly do: 'finish'; readonly result: AttemptResult };

/** How an attempt ended. */
export type AttemptResult =
  | {
      readonly kind: 'measured';
      readonly outcome: Outcome;
      readonly reasons: readonly string[];
    }
  /** It has to be repeated. */
  | { readonly kind: 'interrupted' }
  | ({ readonly kind: 'stuck' } & Pick<AttemptState, 'stuck'>);

type Transition = readonly [AttemptState, readonly AttemptAction[]];

export interface AttemptShape {
  /** For each mutation, whether it waits for a precondition; the others are made at once. */
  readonly waits: readonly boolean[];
  readonly hasCommand: boolean;
  /** Whether the system has to (in a state, still has to) recover from the mutations; false unless given. */
  readonly recovers?: boolean;
  /** Whether events also come from elsewhere than the command; false unless given. */
  readonly hasSource?: boolean;
}

export function newAttempt(shape: AttemptShape): AttemptState {
  return {
    ...{ recovers: false, hasSource: false, ...shape },
    phase: 'preparing',
    mutations: shape.waits.map(() => 'waiting'),
    resets: [],
    stuck: [],
    command: 'none',
    reasons: [],
    interrupted: false,
    guarded: false,
  };
}

/** Whether an attempt is not over: something may be mutated, and nothing is reset yet. */
export function isGoingOn({ phase }: Pick<AttemptState, 'phase'>): boolean {
  return phase === 'preparing' || phase === 'running' || phase === 'ending';
}

/** What follows when something happens. What comes too late changes only what is known. */
export function advance(state: AttemptState, event: AttemptEvent): Transition {
  switch (event.kind) {
    case 'begin':
      return proceed(state);
    case 'injected':
      return proceed(withMutation(state, event.at, 'active'));
    case 'refused': {
      const refused = withMutation(state, event.at, event.maybe ? 'unknown' : 'refused');
      return proceed(over(withReason(refused, event.reason)));
    }
    case 'started':
      return proceed({ ...state, command: 'running' });
    case 'not-started':
      return proceed(over(withReason({ ...state, command: 'ended' }, event.reason)));
    case 'true':
      return state.phase === 'running' ? injectAll(state, event.at) : [state, []];
    case 'ended':
      return commandEnded(withReason({ ...state, command: 'ended' }, event.reason));
    case 'time-up':
      return proceed(faultsOver(state));
    case 'guarded':
      return isGoingOn(state) ? resetAll({ ...state, guarded: true }) : [state, []];
    case 'recovery-over':
      if (state.phase !== 'recovering') return [state, []];
      return proceed(withReason({ ...state, recovers: false }, event.reason));
    case 'interrupt':
      return proceed(over({ ...state, interrupted: state.phase !== 'done' }));
    case 'reset':
      return proceed(withReset(state, event));
    case 'measured':
      return finish(state, event.outcome);
    case 'unmeasured':
      return done(state, { kind: 'interrupted' });
  }
}

/** Does what can be done by now. */
function proceed(state: AttemptState): Transition {
  switch (state.phase) {
    case 'preparing': {
      const atOnce = everyMutation(state).filter((at) => !state.waits[at]);
      if (atOnce.some((at) => state.mutations[at] === 'waiting')) return injectAll(state, atOnce);
      return state.mutations.includes('injecting') ? [state, []] : run(state);
    }
    case 'ending':
      // The command first, so that it does not see the system being reset under it.
      if (state.command === 'running') return endCommand(state);
      return isUnderWay(state) ? [state, []] : resetAll(state);
    case 'resetting':
      return resetAll(state);
    case 'recovering': {
      const goesOn = state.recovers && !state.interrupted && state.reasons.length === 0;
      return goesOn ? [state, []] : resetAll({ ...state, recovers: false });
    }
    default:
      return [state, []];
  }
}

function everyMutation({ mutations }: AttemptState): readonly number[] {
  return [...mutations.keys()];
}

/** Asks for those of these injections that were not asked for. */
function injectAll(state: AttemptState, which: readonly number[]): Transition {
  const due = which.filter((at) => state.mutations[at] === 'waiting');
  const mutations = state.mutations.map((one, at) => (due.includes(at) ? 'injecting' : one));
  return [{ ...state, mutations }, due.map((at) => ({ do: 'inject', at }))];
}

/** Starts what the system is to go through. */
function run(state: AttemptState): Transition {
  const running: AttemptState = { ...state, phase: 'running' };
  if (!state.hasCommand) return [running, [{ do: 'watch' }]];
  return [{ ...running, command: 'starting' }, [{ do: 'watch' }, { do: 'start-command' }]];
}

function isUnderWay({ mutations, command }: AttemptState): boolean {
  return mutations.includes('injecting') || command === 'starting' || command === 'ending';
}

/** The attempt is over, if it was not already. */
function over(state: AttemptState): AttemptState {
  return isGoingOn(state) ? { ...state, phase: 'ending' } : state;
}

/** The time of the mutations is over; the command may go on where the system has to recover. */
function faultsOver(state: AttemptState): AttemptState {
  const { phase, recovers, reasons, mutations } = state;
  const mayRecover =
    recovers && phase === 'running' && reasons.length === 0 && mutations.includes('active');
  return mayRecover ? { ...state, phase: 'resetting' } : over(state);
}

function endCommand(state: AttemptState): Transition {
  return [{ ...state, command: 'ending' }, [{ do: 'end-command' }]];
}

function commandEnded(state: AttemptState): Transition {
  const isLastLook = state.phase === 'recovering' && state.reasons.length === 0 && !state.hasSource;
  return isLastLook ? [state, [{ do: 'end-recovery' }]] : proceed(faultsOver(state));
}

/**
 * Resets the whole set, whatever the command does; an injection under way, when that has ended. Goes on
 * when everything is reset.
 */
function resetAll(state: AttemptState): Transition {
  const due = everyMutation(state).filter(
    (at) => state.resets[at] === undefined && state.mutations[at] !== 'injecting',
  );
  const resets = state.mutations.map((_, at) => (due.includes(at) ? 'asked' : state.resets[at]));
  const asked: AttemptState = { ...state, phase: 'resetting', resets };
  if (resets.every((one) => one === 'done')) return allReset(asked);
  const actions: readonly AttemptAction[] = due.map((at) => ({ do: 'reset', at }));
  if (!state.guarded || state.command !== 'running') return [asked, actions];
  // The command is ended meanwhile.
  const [next, more] = endCommand(asked);
  return [next, [...actions, ...more]];
}

function allReset(state: AttemptState): Transition {
  const { stuck, interrupted, reasons } = state;
  const isOver = stuck.length > 0 || interrupted || reasons.length > 0 || state.guarded;
  if (state.recovers && !isOver && state.mutations.includes('active')) return recover(state);
  // It went on while everything was reset.
  if (state.command === 'running') return endCommand(state);
  if (isUnderWay(state)) return [state, []];
  if (stuck.length > 0) return done(state, { kind: 'stuck', stuck });
  if (interrupted) return done(state, { kind: 'interrupted' });
  if (state.guarded) return finish(state, 'guarded');
  if (reasons.length > 0) return finish(state, 'inconclusive');
  return [{ ...state, phase: 'measuring' }, [{ do: 'measure' }]];
}

/** Lets the system recover, where something can tell whether it does. */
function recover(state: AttemptState): Transition {
  if (state.command === 'ended' && !state.hasSource) {
    return finish(withReason(state, NOTHING_LEFT), 'inconclusive');
  }
  return [{ ...state, phase: 'recovering' }, [{ do: 'watch-recovery' }]];
}

const NOTHING_LEFT =
  'it is not known whether the system recovers: the command had ended, and nothing else sends events';

/** Ends an attempt with its outcome, when everything is reset. */
function finish(state: AttemptState, outcome: Outcome): Transition {
  if (state.phase === 'done') return [state, []];
  return done(state, { kind: 'measured', outcome, reasons: state.reasons });
}

function done(state: AttemptState, result: AttemptResult): Transition {
  return [{ ...state, phase: 'done' }, [{ do: 'finish', result }]];
}

function withMutation(state: AttemptState, at: number, phase: MutationPhase): AttemptState {
  return { ...state, mutations: state.mutations.with(at, phase) };
}

/** Notes why an attempt is inconclusive, if there is a reason. */
function withReason(state: AttemptState, reason: string | undefined): AttemptState {
  return reason === undefined ? state : { ...state, reasons: [...state.reasons, reason] };
}

function withReset(state: AttemptState, { at, failed: reason }: ResetEvent): AttemptState {
  const phase = state.mutations[at];
  const isStuck = reason !== undefined && phase !== 'waiting' && phase !== 'refused';
  return {
    ...state,
    resets: state.mutations.map((_, one) => (one === at ? 'done' : state.resets[one])),
    stuck: isStuck ? [...state.stuck, { at, reason }] : state.stuck,
  };
}
