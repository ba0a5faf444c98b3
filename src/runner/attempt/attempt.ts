import { durationText } from '../../values/index.js';
import type { MeasuredRecord } from '../journal/records.js';
import { whenAborted } from '../when-aborted.js';

/*
 * The phases of an attempt: preparing the system, injecting mutations while the command runs, resetting mutators,
 * waiting for recovery, and judging the recording. Judging starts only after the whole set is reset. A mutation with a
 * duration ends while the command runs. The command ends before all other resets, unless the guard triggered or
 * recovery is required.
 */

/** A planned mutation's state. */
export type MutationState =
  /** The mutation's precondition is not true yet. */
  | 'waiting'
  /** The mutation's onset is not over yet. */
  | 'delayed'
  | 'injecting'
  | 'active'
  /** The mutation's duration is over. The mutator is being reset while the attempt continues. */
  | 'ending'
  /** The mutation ended as planned. */
  | 'over'
  /** The server refused the mutation and left the mutator unchanged. */
  | 'refused'
  /** The server did not acknowledge the mutation. The mutation may be active. */
  | 'unknown';

/** True if the mutation may be active, so its mutator needs a reset. */
export function mayBeActive(mutation: MutationState): boolean {
  return !INACTIVE.has(mutation);
}

const INACTIVE: ReadonlySet<MutationState> = new Set(['waiting', 'delayed', 'refused', 'over']);

export type AttemptPhase =
  /** Waiting until the system is ready, before any injection. */
  | 'preparing'
  /** The command is running or, without a command, the attempt's time is elapsing. */
  | 'running'
  /** The mutations are over. Pending injections are finishing, and the command is being stopped. */
  | 'ending'
  | 'resetting'
  /** All mutators are reset; the command continues until the system has recovered. */
  | 'recovering'
  | 'measuring'
  | 'done';

export interface AttemptShape {
  /** True if the system must be ready before any injection. The command then starts before the injections. */
  readonly hasReadyCheck: boolean;
  /** For each mutation, true if the mutation has a precondition. */
  readonly hasPrecondition: readonly boolean[];
  /**
   * For each mutation, true if the mutation has an onset. Mutations with neither an onset nor a precondition are
   * injected before the command starts.
   */
  readonly hasOnset: readonly boolean[];
  /** For each mutation, true if the mutation has a duration. */
  readonly hasDuration: readonly boolean[];
  readonly hasCommand: boolean;
  /** True if the system must recover from the mutations. */
  readonly mustRecover: boolean;
  /** True if events have a source other than the command. */
  readonly hasSource: boolean;
  /** True if polls query the system. Polls also run before the first injection and after the last reset. */
  readonly hasPolls: boolean;
}

/** A refused or unacknowledged injection. */
export interface RefusedMutation {
  readonly reason: string;
  /** True if the mutation may be active nevertheless. */
  readonly maybe: boolean;
}

/** An attempt's command. */
export interface AttemptCommand {
  /**
   * Stops the command, waiting for its start if necessary. Idempotent.
   *
   * @param isTimeUp true if the attempt's time is over
   */
  end(isTimeUp: boolean): void;
  /** Resolves when the command has ended or failed to start, with the reason if the attempt cannot be judged. */
  readonly ended: Promise<string | undefined>;
}

/** The measured fields of an attempt's record. */
export type MeasuredPart = Pick<
  MeasuredRecord,
  'outcome' | 'measurements' | 'reasons' | 'events' | 'lost'
>;

/** The steps of an attempt. A step with a signal resolves with undefined once the signal is aborted. */
export interface AttemptSteps {
  enter(phase: AttemptPhase): void;
  inject(position: number): Promise<RefusedMutation | undefined>;
  /** Waits until the system is ready. @returns the reason if the system is not ready in time */
  ready(signal: AbortSignal): Promise<string | undefined>;
  /** Waits until each poll has its first response. */
  pollsBegun(signal: AbortSignal): Promise<void>;
  /** Stops the polls of servers that the command started, and waits for their pending responses. */
  settlePolls(signal: AbortSignal): Promise<void>;
  /** Ends each poll after its first response to a request sent after this call. */
  endPolls(signal: AbortSignal): Promise<void>;
  /** Waits until a mutation's precondition is true for the events so far. */
  precondition(position: number, signal: AbortSignal): Promise<unknown>;
  /** Waits until a mutation's onset is over. */
  onset(position: number, signal: AbortSignal): Promise<unknown>;
  /** Waits until a mutation has been active for its duration. */
  duration(position: number, signal: AbortSignal): Promise<unknown>;
  /** Waits until the guard is true. @returns milliseconds since the triggering event's arrival */
  guard(signal: AbortSignal): Promise<number | undefined>;
  /** Waits until the attempt's time is over. */
  time(signal: AbortSignal): Promise<'over' | undefined>;
  startCommand(): AttemptCommand;
  /** Begins the recovery check, which considers only later events. */
  beginRecovery(): Promise<void>;
  /** Resets a mutator. @returns the reason if the mutator may still be mutated */
  reset(position: number, mutation: MutationState): Promise<string | undefined>;
  /**
   * Waits until the system has recovered or the recovery timeout is over.
   *
   * @param noMoreEvents resolves when no more events can arrive
   * @returns true if the system has recovered; undefined if unknown
   */
  recovery(
    signal: AbortSignal,
    noMoreEvents: Promise<void> | undefined,
  ): Promise<boolean | undefined>;
  /** Runs the commands that collect evidence. @returns the reason if the attempt cannot be judged */
  collect(signal: AbortSignal): Promise<string | undefined>;
  /** Judges the recording. @returns undefined if interrupted */
  measure(mutations: readonly MutationState[]): Promise<MeasuredPart | undefined>;
}

/** An attempt's result. */
export type AttemptResult =
  | { readonly kind: 'measured'; readonly result: MeasuredPart & Pick<MeasuredRecord, 'guardMs'> }
  /** The attempt must run again. */
  | { readonly kind: 'interrupted' }
  /** Resets failed, so mutators may still be mutated. */
  | {
      readonly kind: 'stuck';
      readonly failedResets: readonly { readonly at: number; readonly reason: string }[];
    };

/**
 * Runs an attempt. Resolves after all resets, failed resets included, and the command's end. Rejects with a step's
 * error after trying to reset all mutators, possibly while the command is still running.
 *
 * @param signal aborted when the attempt must not continue
 */
export function makeAttempt(
  shape: AttemptShape,
  steps: AttemptSteps,
  signal: AbortSignal,
): Promise<AttemptResult> {
  return new Attempt(shape, steps, signal).run();
}

const TIME_UP = 'time-up';

const NOT_READY = 'the command exited before the system was ready';

const NO_EVENT_SOURCE =
  'recovery could not be checked: the command had exited and there is no other event source';

const COMMAND_EXITED =
  'recovery could not be checked: the command exited first and there is no other event source';

class Attempt {
  readonly #shape: AttemptShape;
  readonly #steps: AttemptSteps;
  readonly #signal: AbortSignal;
  readonly #mutations: MutationState[];
  /** Injections by position. Each spans the waits for the precondition and the onset, and the planned reset. */
  readonly #injections: Promise<void>[] = [];
  /** Aborted when the mutations are over, to prevent further injections. */
  readonly #mutationsEnd = new AbortController();
  /** Aborted when the attempt will not be judged. */
  readonly #abandonment = new AbortController();
  /** Reasons for an inconclusive outcome. */
  readonly #reasons: string[] = [];
  readonly #failedResets: { readonly at: number; readonly reason: string }[] = [];
  #guardMs: number | undefined;
  #command: AttemptCommand | undefined;
  #commandEnded: Promise<void> | undefined;
  #hasCommandEnded = false;
  /** The first error of a parallel step. */
  #failure: { readonly error: unknown } | undefined;

  constructor(shape: AttemptShape, steps: AttemptSteps, signal: AbortSignal) {
    this.#shape = shape;
    this.#steps = steps;
    this.#signal = signal;
    this.#mutations = shape.hasPrecondition.map(() => 'waiting');
  }

  async run(): Promise<AttemptResult> {
    void whenAborted(this.#signal).then(() => this.#stop());
    try {
      await this.#mutateUnlessGuarded();
      if (this.#shape.mustRecover && this.#guardMs === undefined) await this.#steps.beginRecovery();
    } finally {
      this.#mutationsEnd.abort();
      await this.#resetAll();
    }
    if (this.#mustRecover) await this.#recover();
    await this.#endCommand();
    if (this.#shape.hasPolls && !this.#hasGoneWrong) {
      await this.#steps.endPolls(this.#abandonment.signal);
    }
    if (!this.#hasGoneWrong) {
      const reason = await this.#steps.collect(this.#abandonment.signal);
      if (reason !== undefined) this.#reasons.push(reason);
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    const result = await this.#conclude();
    this.#steps.enter('done');
    return result;
  }

  /** Injects the mutations and waits until they are over. Stops at once if the guard triggers. */
  async #mutateUnlessGuarded(): Promise<void> {
    const guardWatch = new AbortController();
    try {
      const mutation = this.#mutate().then(() => undefined);
      this.#guardMs = await Promise.race([this.#steps.guard(guardWatch.signal), mutation]);
    } finally {
      guardWatch.abort();
    }
  }

  async #mutate(): Promise<void> {
    const { hasPrecondition, hasOnset, hasCommand, hasPolls, hasReadyCheck } = this.#shape;
    const mutations = [...hasPrecondition.keys()];
    const immediatePositions = mutations.filter(
      (position) => !hasPrecondition[position] && !hasOnset[position],
    );
    if (hasPolls) await this.#steps.pollsBegun(this.#mutationsEnd.signal);
    if (hasReadyCheck && !this.#mutationsEnd.signal.aborted) await this.#prepare();
    if (!this.#mutationsEnd.signal.aborted) {
      for (const position of immediatePositions)
        this.#injections[position] = this.#runInParallel(this.#inject(position));
      await Promise.all(this.#injections);
    }
    if (!this.#mutationsEnd.signal.aborted) {
      this.#steps.enter('running');
      for (const position of mutations) {
        const isInjected = immediatePositions.includes(position);
        const operation = isInjected
          ? this.#resetWhenOver(position)
          : this.#injectWhenDue(position);
        this.#injections[position] = this.#runInParallel(operation);
      }
      void this.#runInParallel(this.#endWhenTimeIsUp());
      if (hasCommand) this.#commandEnded ??= this.#runInParallel(this.#runCommand());
      await whenAborted(this.#mutationsEnd.signal);
    }
    // The command keeps running during the recovery.
    if (this.#mustRecover) return;
    if (this.#guardMs === undefined) this.#steps.enter('ending');
    // The command must not see the resets.
    await this.#endCommand();
    await Promise.all(this.#injections);
  }

  /** Starts the command and waits until the system is ready. Stops the attempt if the system does not become ready. */
  async #prepare(): Promise<void> {
    this.#steps.enter('preparing');
    if (this.#shape.hasCommand) this.#commandEnded = this.#runInParallel(this.#runCommand());
    const reason = await this.#steps.ready(this.#mutationsEnd.signal);
    if (reason !== undefined) this.#stop(reason);
    else if (this.#mutationsEnd.signal.aborted && !this.#hasGoneWrong) this.#stop(NOT_READY);
  }

  async #injectWhenDue(position: number): Promise<void> {
    const { signal } = this.#mutationsEnd;
    if (this.#shape.hasPrecondition[position]) await this.#steps.precondition(position, signal);
    if (this.#shape.hasOnset[position] && !signal.aborted) {
      this.#mutations[position] = 'delayed';
      await this.#steps.onset(position, signal);
    }
    if (signal.aborted) return;
    await this.#inject(position);
    await this.#resetWhenOver(position);
  }

  /** Resets a mutator after the planned duration of its mutation. */
  async #resetWhenOver(position: number): Promise<void> {
    const { signal } = this.#mutationsEnd;
    if (
      !this.#shape.hasDuration[position] ||
      this.#mutations[position] !== 'active' ||
      signal.aborted
    )
      return;
    await this.#steps.duration(position, signal);
    if (signal.aborted) return;
    // The recovery begins when the last mutation ends.
    if (this.#shape.mustRecover && this.#isLast(position)) return this.#mutationsEnd.abort();
    this.#mutations[position] = 'ending';
    const reason = await this.#steps.reset(position, 'ending');
    if (reason === undefined) this.#mutations[position] = 'over';
    else {
      this.#failedResets.push({ at: position, reason });
      this.#stop();
    }
  }

  /** True if every other mutation has ended as planned or is ending. */
  #isLast(position: number): boolean {
    return this.#mutations.every(
      (mutation, otherIndex) =>
        otherIndex === position || mutation === 'over' || mutation === 'ending',
    );
  }

  async #inject(position: number): Promise<void> {
    this.#mutations[position] = 'injecting';
    const refusal = await this.#steps.inject(position);
    if (refusal === undefined) this.#mutations[position] = 'active';
    else {
      this.#mutations[position] = refusal.maybe ? 'unknown' : 'refused';
      this.#stop(refusal.reason);
    }
  }

  async #endWhenTimeIsUp(): Promise<void> {
    if ((await this.#steps.time(this.#mutationsEnd.signal)) === 'over')
      this.#mutationsEnd.abort(TIME_UP);
  }

  async #runCommand(): Promise<void> {
    this.#command = this.#steps.startCommand();
    const reason = await this.#command.ended;
    this.#hasCommandEnded = true;
    if (reason !== undefined) this.#stop(reason);
    this.#mutationsEnd.abort();
  }

  /** Stops the command if necessary, and waits for its end. */
  async #endCommand(): Promise<void> {
    const mustSettlePolls = this.#shape.hasPolls && this.#command !== undefined;
    if (mustSettlePolls && !this.#hasCommandEnded && !this.#hasGoneWrong) {
      await this.#steps.settlePolls(this.#abandonment.signal);
    }
    if (!this.#hasCommandEnded) this.#command?.end(this.#mutationsEnd.signal.reason === TIME_UP);
    await this.#commandEnded;
  }

  /** Resets the whole set, even while the command runs. Waits for pending injections first. */
  async #resetAll(): Promise<void> {
    this.#steps.enter('resetting');
    const resets = await Promise.allSettled(
      this.#mutations.map((_, position) => this.#reset(position)),
    );
    for (const reset of resets) if (reset.status === 'rejected') throw reset.reason;
  }

  async #reset(position: number): Promise<void> {
    await this.#injections[position];
    // The planned reset has already failed after all retries.
    if (this.#failedResets.some((mutation) => mutation.at === position)) return;
    const reason = await this.#steps.reset(position, this.#mutations[position] as MutationState);
    if (reason !== undefined) this.#failedResets.push({ at: position, reason });
  }

  /** True if recovery is required, a mutation is active and the attempt will be judged. */
  get #mustRecover(): boolean {
    return this.#shape.mustRecover && !this.#hasGoneWrong && this.#mutations.includes('active');
  }

  /** True if the attempt will not be judged. */
  get #hasGoneWrong(): boolean {
    return (
      this.#abandonment.signal.aborted ||
      this.#guardMs !== undefined ||
      this.#failedResets.length > 0
    );
  }

  /** Waits for the system's recovery. Stops the attempt if no further events can show a recovery. */
  async #recover(): Promise<void> {
    const { hasSource } = this.#shape;
    if (this.#hasCommandEnded && !hasSource) return this.#stop(NO_EVENT_SOURCE);
    this.#steps.enter('recovering');
    const noMoreEvents = hasSource ? undefined : this.#commandEnded;
    const hasRecovered = await this.#steps.recovery(this.#abandonment.signal, noMoreEvents);
    if (hasRecovered === undefined && !this.#abandonment.signal.aborted) this.#stop(COMMAND_EXITED);
  }

  async #conclude(): Promise<AttemptResult> {
    const [failedResets, reasons, guardMs] = [this.#failedResets, this.#reasons, this.#guardMs];
    if (failedResets.length > 0) return { kind: 'stuck', failedResets };
    if (this.#signal.aborted) return { kind: 'interrupted' };
    const emptyResult = { measurements: [], events: 0 };
    if (guardMs !== undefined) {
      const guardReasons = [guardText(guardMs), ...reasons];
      const result = {
        ...emptyResult,
        outcome: 'guarded',
        reasons: guardReasons,
        guardMs,
      } as const;
      return { kind: 'measured', result };
    }
    if (reasons.length > 0) {
      return { kind: 'measured', result: { ...emptyResult, outcome: 'inconclusive', reasons } };
    }
    this.#steps.enter('measuring');
    const result = await this.#steps.measure(this.#mutations);
    return result === undefined ? { kind: 'interrupted' } : { kind: 'measured', result };
  }

  /**
   * Ends the mutations, and ends the attempt without a verdict.
   *
   * @param reason the reason for an inconclusive outcome
   */
  #stop(reason?: string): void {
    if (reason !== undefined) this.#reasons.push(reason);
    this.#abandonment.abort();
    this.#mutationsEnd.abort();
  }

  /** Runs work in parallel with other steps. An error stops the attempt; `run` throws the error after the resets. */
  #runInParallel(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      this.#failure ??= { error };
      this.#stop();
    });
  }
}

function guardText(ms: number): string {
  return `guard triggered: resets started ${durationText(ms)} after the event`;
}
