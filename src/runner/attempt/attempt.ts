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
  /** The mutations whose resets are under way or still to come. */
  readonly resets: ReadonlySet<number>;
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
    resets: new Set(),
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
      return begin(state);
    case 'injected':
      return injectionEnded(withMutation(state, event.at, 'active'), event.at, settled);
    case 'refused': {
      const refused = withMutation(state, event.at, event.maybe ? 'unknown' : 'refused');
      return injectionEnded(withReason(refused, event.reason), event.at, over);
    }
    case 'started':
      return settled({ ...state, command: 'running' });
    case 'not-started': {
      const ended = withReason(state, event.reason, 'ended');
      return state.phase === 'resetting' ? resetSoFar(ended) : over(ended);
    }
    case 'true':
      return trigger(state, event.at);
    case 'ended':
      return commandEnded(withReason(state, event.reason, 'ended'));
    case 'time-up':
      return mayRecover(state) ? resetNow(state) : over(state);
    case 'guarded':
      return guarded(state);
    case 'recovery-over':
      return recoveryOver(withReason(state, event.reason));
    case 'interrupt': {
      const interrupted = { ...state, interrupted: state.phase !== 'done' };
      return state.phase === 'recovering' ? recoveryOver(interrupted) : over(interrupted);
    }
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
  if (!state.hasCommand) return [running, [{ do: 'watch' }]];
  return [{ ...running, command: 'starting' }, [{ do: 'watch' }, { do: 'start-command' }]];
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

/** An injection was answered: if everything else is already being reset, it is reset now. */
function injectionEnded(
  state: AttemptState,
  at: number,
  next: (state: AttemptState) => Transition,
): Transition {
  return state.phase === 'resetting' ? [state, [{ do: 'reset', at }]] : next(state);
}

/** Something that was under way has ended. */
function settled(state: AttemptState): Transition {
  if (state.phase === 'ending') return endCommand(state);
  if (state.phase === 'resetting') return resetSoFar(state);
  if (state.phase === 'preparing' && !state.mutations.includes('injecting')) {
    return run(state);
  }
  return [state, []];
}

/** The attempt is over, if it was not already. */
function over(state: AttemptState): Transition {
  return isGoingOn(state) ? endCommand({ ...state, phase: 'ending' }) : [state, []];
}

/** Ends the command first, so that it does not see the system being reset under it. */
function endCommand(state: AttemptState): Transition {
  if (state.command === 'running') return tellCommand(state);
  return isUnderWay(state) ? [state, []] : resetNow(state);
}

function tellCommand(state: AttemptState, actions: readonly AttemptAction[] = []): Transition {
  return [{ ...state, command: 'ending' }, [...actions, { do: 'end-command' }]];
}

/** Resets the whole set, whatever the command does; an injection under way, when that has ended. */
function resetNow(state: AttemptState): Transition {
  const resets = everyMutation(state);
  const resetting: AttemptState = { ...state, phase: 'resetting', resets: new Set(resets) };
  if (resets.length === 0) return allReset(resetting);
  const still = resets.filter((at) => state.mutations[at] !== 'injecting');
  return [resetting, still.map((at) => ({ do: 'reset', at }))];
}

/** The guard became true: everything is reset at once, and the command is ended meanwhile. */
function guarded(state: AttemptState): Transition {
  if (!isGoingOn(state)) return [state, []];
  const [next, actions] = resetNow({ ...state, guarded: true });
  if (state.command !== 'running' || next.phase !== 'resetting') return [next, actions];
  return tellCommand(next, actions);
}

function commandEnded(state: AttemptState): Transition {
  switch (state.phase) {
    case 'resetting':
      return resetSoFar(state);
    case 'recovering':
      if (state.reasons.length > 0) return recoveryOver(state);
      return [state, state.hasSource ? [] : [{ do: 'end-recovery' }]];
    default:
      return mayRecover(state) ? resetNow(state) : over(state);
  }
}

/** Whether the system has to recover, now that the time of the mutations is over. */
function mayRecover({ phase, recovers, reasons, mutations }: AttemptState): boolean {
  return recovers && phase === 'running' && reasons.length === 0 && mutations.includes('active');
}

function recoveryOver(state: AttemptState): Transition {
  if (state.phase !== 'recovering') return [state, []];
  return allReset({ ...state, phase: 'resetting', recovers: false });
}

function resetSoFar(state: AttemptState): Transition {
  return state.resets.size > 0 ? [state, []] : allReset(state);
}

function wasReset(state: AttemptState, { at, failed }: ResetEvent): Transition {
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
  const isOver = stuck.length > 0 || interrupted || reasons.length > 0 || state.guarded;
  if (state.recovers && !isOver && state.mutations.includes('active')) return recover(state);
  // It went on while everything was reset.
  if (state.command === 'running') return tellCommand(state);
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
  return { ...state, mutations: state.mutations.map((one, index) => (index === at ? phase : one)) };
}

/** Notes why an attempt is inconclusive, if there is a reason, and what came of its command. */
function withReason(
  state: AttemptState,
  reason: string | undefined,
  command = state.command,
): AttemptState {
  const more = reason === undefined ? [] : [reason];
  return { ...state, command, reasons: [...state.reasons, ...more] };
}
