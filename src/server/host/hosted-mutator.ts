import { EventEmitter, once } from 'node:events';
import { ActuatorError, type Clock, type LiveActuator } from '../../actuators/acting/index.js';
import type { ManifestMutator, Mutation } from '../../mutators/index.js';
import { defined } from '../../values/index.js';
import type {
  HostEvents,
  InjectOutcome,
  MutatorEvent,
  OwnedMutation,
  ResetCause,
  ResetOutcome,
} from './host.js';
import { StateError, type StateJournal } from './state-journal.js';

/** The common context of a host's mutators. */
export interface MutatorContext {
  readonly journal: StateJournal;
  readonly clock: Clock;
  readonly events: HostEvents;
  /** Delays after the first, second... failure of a reset; the last applies to all later ones. */
  readonly retryDelaysMs: readonly number[];
  /** Maximum number of operations that may wait while one runs. */
  readonly queueLimit: number;
  /** Drops a mutator's records outside the journal. @returns descriptions of the residue */
  readonly forget: (id: string) => Promise<readonly string[]>;
}

/** The state of an idle mutator. It may be active after a crash or a failed reset, or unsettled. */
type Rest =
  | { readonly kind: 'idle' }
  /** Since that time of the clock. */
  | { readonly kind: 'active'; readonly since: number }
  | { readonly kind: 'maybe-active'; readonly reason: string };

/** The current step: `recording` writes the journal before the system is touched, `clearing` after a reset. */
type Step = 'recording' | 'injecting' | 'resetting' | 'clearing';

export type MutatorState = Rest['kind'] | Step;

type Answer = InjectOutcome | ResetOutcome;

/** An operation: an injection, or else a reset. */
interface Operation {
  readonly cause: ResetCause;
  /** The values to inject, one for each parameter. */
  readonly mutation?: Mutation | undefined;
  /** The run that requests the injection, or whose mutation alone is reset. */
  readonly run?: string | undefined;
  /** True to count the mutator as reset even if that fails. */
  readonly forget?: boolean | undefined;
  /** Present if a client waits for the answer. */
  readonly answer?: (answer: Answer) => void;
}

/** The end of a step: without a reason, it succeeded. */
interface Ended {
  readonly at: number;
  readonly ms: number;
  readonly reason?: string;
  /** The time during which a failed step may still take effect, as far as known. */
  readonly lateMs?: number | undefined;
  /** True if it keeps failing until a person intervenes. */
  readonly isLasting?: boolean;
}

const IDLE: Rest = { kind: 'idle' };
const ENDED = 'the server ended before it could be done';

/** The reason for another reset after a successful one. */
export const UNSETTLED = 'an injection that timed out or was interrupted may still take effect';

/** Number of retries of a failed reset when nobody can wait any longer. */
const LAST_RETRIES = 3;

/** The first pause before an unsettled mutator is reset again; each pause is twice the previous one. */
const FIRST_PAUSE_MS = 250;

/** One mutator: runs its operations one at a time, in order of arrival. */
export class HostedMutator {
  readonly mutator: ManifestMutator;
  readonly #actuator: LiveActuator;
  readonly #context: MutatorContext;
  #rest: Rest;
  #step: Step | undefined;
  /** The number of consecutive failed resets, and whether the last one keeps failing until a person intervenes. */
  #failures = 0;
  #isLasting = false;
  /** The mutation of a run that is or may be in force. */
  #owned: OwnedMutation | undefined;
  /**
   * Set after an abandoned injection, which may still take effect, such as a request that the system is still
   * processing. Until this time of the clock, no reset is final. `resets` counts those done meanwhile.
   */
  #unsettled: { readonly until: number; readonly resets: number } | undefined;
  readonly #waiting: Operation[] = [];
  #isWorking = false;
  #current: Operation | undefined;
  /** Accepts no more requests. */
  #isClosed = false;
  /** Does nothing more. */
  #isOver = false;
  /** The number of callers of `settle`: a failed reset is then retried only a few times. */
  #settling = 0;
  #disarm: (() => void) | undefined;
  #interruption = new AbortController();
  /** Emits when no operation runs any more. */
  readonly #changes = new EventEmitter();

  /** @param leftBy the reason why an earlier process may have left it active */
  constructor(
    mutator: ManifestMutator,
    actuator: LiveActuator,
    leftBy: string | undefined,
    context: MutatorContext,
  ) {
    this.mutator = mutator;
    this.#actuator = actuator;
    this.#context = context;
    this.#rest = leftBy === undefined ? IDLE : { kind: 'maybe-active', reason: leftBy };
  }

  get id(): string {
    return this.mutator.id;
  }

  get state(): MutatorState {
    return this.#step ?? this.#rest.kind;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The number of waiting operations. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** True if a requested operation is running. */
  get isServing(): boolean {
    return this.#current?.answer !== undefined;
  }

  /** The reason why it may be left mutated if nothing more is done; otherwise undefined. */
  get residue(): string | undefined {
    if (this.#step === 'injecting') return 'its injection has not ended';
    if (this.#step === 'resetting') return 'its reset has not ended';
    if (this.#step === 'clearing' || this.#rest.kind === 'idle') return undefined;
    return this.#rest.kind === 'active' ? 'it was not reset' : this.#rest.reason;
  }

  /** Injects in its turn, with a value for each parameter; resets if there is no mutation. */
  ask(asked: Pick<Operation, 'mutation' | 'run' | 'forget'>): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve({ kind: 'closing' });
    const { waiting } = this;
    if (this.#isWorking && waiting >= this.#context.queueLimit) {
      const operation = asked.mutation === undefined ? 'reset' : 'inject';
      this.#report({ kind: 'busy', operation, waiting });
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((answer) => this.#add({ cause: 'request', ...asked, answer }));
  }

  /** Resets in its turn if a mutation of a run is or may be in force then. */
  orphan(run: string): void {
    if (this.#isWorking || this.#owned?.run === run) this.#add({ cause: 'orphaned', run });
  }

  /** Refuses all requests from now on, including waiting ones; the current operation continues. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#waiting.splice(0)) answer?.({ kind: 'closing' });
  }

  /** Aborts the actuator's work, which then counts as failed. */
  interrupt(): void {
    this.#interruption.abort();
  }

  /** Does nothing more by itself, in any state. Aborts the current operation. */
  abandon(): void {
    this.#isOver = true;
    this.close();
    this.#stopAlarm();
    this.interrupt();
    this.#changes.emit('change');
  }

  /** Resets, in its turn, a mutation that is or may be in force; resolves when that is done or abandoned. */
  async settle(cause: ResetCause): Promise<void> {
    this.#settling += 1;
    this.#add({ cause });
    await this.#when(() => this.#isOver || (!this.#isWorking && this.#disarm === undefined));
    this.#settling -= 1;
  }

  /** Resolves when no operation runs. */
  whenStill(): Promise<void> {
    return this.#when(() => !this.#isWorking);
  }

  async #when(isReady: () => boolean): Promise<void> {
    while (!isReady()) await once(this.#changes, 'change');
  }

  #add(operation: Operation): void {
    this.#waiting.push(operation);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#current = next;
      this.#stopAlarm();
      const answer = await this.#perform(next);
      this.#step = undefined;
      this.#setAlarm();
      this.#current = undefined;
      next.answer?.(answer);
    }
    this.#isWorking = false;
    this.#changes.emit('change');
  }

  async #perform({ mutation, cause, run, forget }: Operation): Promise<Answer> {
    if (mutation !== undefined) return this.#inject(mutation, run);
    if (cause === 'orphaned' && this.#owned?.run !== run) return { kind: 'reset' };
    if (this.#rest.kind === 'idle') {
      if (cause !== 'request') return { kind: 'reset' };
      const reason = await this.#record();
      if (reason !== undefined) return { kind: 'failed', reason };
    }
    const answer = await this.#reset(cause);
    return forget && answer.kind === 'failed' ? this.#forget(answer.reason) : answer;
  }

  async #inject(mutation: Mutation, run: string | undefined): Promise<Answer> {
    const { held } = this.#context.journal;
    if (held !== undefined) return { kind: 'held', reason: heldText(held) };
    const unrecorded = await this.#record(mutation.id);
    if (unrecorded !== undefined) return { kind: 'failed', reason: unrecorded };
    this.#failures = 0;
    const replaced = this.#owned?.run === run ? undefined : this.#owned;
    this.#owned = run === undefined ? undefined : { mutation: mutation.id, run };
    const inject = (signal: AbortSignal) => this.#actuator.inject(mutation, signal);
    const { at, ms, reason, lateMs } = await this.#act('injecting', inject);
    const about = { mutation: mutation.id, ms };
    if (reason === undefined) {
      this.#report({ kind: 'injected', ...about, ...defined({ replaced }) });
      this.#rest = { kind: 'active', since: at };
      return { kind: 'injected' };
    }
    const late = lateMs !== undefined && { lateMs };
    this.#report({ kind: 'inject-failed', ...about, reason, ...late });
    if (lateMs !== undefined) {
      this.#unsettled = { until: Math.max(at + lateMs, this.#unsettled?.until ?? 0), resets: 0 };
    }
    return this.#reset('failed-injection', reason);
  }

  /** @param failure the reason if an injection failed */
  async #reset(cause: ResetCause, failure?: string): Promise<Answer> {
    // True if it ends an unsettled period whose time is over.
    const isLast = cause === 'retry' ? this.#settling > 0 : failure === undefined;
    if (cause !== 'retry') this.#failures = 0;
    let gone: string | undefined;
    const onGone = (residue: string) => {
      gone = residue;
    };
    const reset = (signal: AbortSignal) => this.#actuator.reset(signal, onGone);
    const { at, ms, reason, isLasting = false } = await this.#act('resetting', reset);
    this.#isLasting = isLasting;
    const isOwnRun = cause === 'request' && this.#current?.run === this.#owned?.run;
    const owned = isOwnRun && gone === undefined ? {} : defined({ owned: this.#owned });
    if (reason !== undefined) {
      this.#failures += 1;
      this.#rest = { kind: 'maybe-active', reason };
      const retryInMs = this.#retryDelay();
      const retry = retryInMs !== undefined && { retryInMs };
      this.#report({ kind: 'reset-failed', cause, ms, reason, ...owned, ...retry });
      const both = failure === undefined ? reason : `${failure}; then the reset failed: ${reason}`;
      return { kind: 'failed', reason: both };
    }
    this.#failures = 0;
    this.#report({ kind: 'reset', cause, ms, ...owned, ...defined({ gone }) });
    this.#owned = undefined;
    const unsettled = this.#unsettled;
    if (unsettled === undefined || (isLast && at >= unsettled.until)) {
      await this.#clear();
    } else {
      this.#rest = { kind: 'maybe-active', reason: UNSETTLED };
      this.#unsettled = { ...unsettled, resets: unsettled.resets + 1 };
    }
    return failure === undefined ? { kind: 'reset' } : { kind: 'failed', reason: failure };
  }

  /** Counts a mutator that cannot be reset as reset. @param reason the failure */
  async #forget(reason: string): Promise<Answer> {
    let kept: readonly string[] = [];
    const { reason: failure } = await this.#act('clearing', async () => {
      kept = await this.#context.forget(this.id);
    });
    if (failure !== undefined) return { kind: 'failed', reason: `${reason}; ${failure}` };
    this.#failures = 0;
    this.#owned = undefined;
    await this.#clear();
    return { kind: 'forgotten', left: kept.length > 0 ? kept.join('; ') : reason };
  }

  /** Records that it is back in its original state. */
  async #clear(): Promise<void> {
    // If the journal cannot be written, the safe consequence is one more reset at the next start.
    await this.#tell('clearing', () => this.#context.journal.clear(this.id));
    this.#rest = IDLE;
    this.#unsettled = undefined;
  }

  /** Records that the system is about to be touched; returns the reason if that fails. */
  #record(mutation?: string): Promise<string | undefined> {
    const { journal, clock } = this.#context;
    const what = mutation !== undefined && { mutation };
    return this.#tell('recording', () => journal.touch(this.id, { ...what, since: clock.date() }));
  }

  async #tell(step: Step, write: () => Promise<void>): Promise<string | undefined> {
    const { reason } = await this.#act(step, write);
    if (reason !== undefined) this.#report({ kind: 'record-failed', reason });
    return reason;
  }

  async #act(step: Step, work: (signal: AbortSignal) => Promise<void>): Promise<Ended> {
    const { clock } = this.#context;
    const began = clock.now();
    this.#step = step;
    if (this.#isOver) return { at: began, ms: 0, reason: ENDED };
    this.#interruption = new AbortController();
    try {
      await work(this.#interruption.signal);
      return { at: clock.now(), ms: clock.now() - began };
    } catch (error) {
      const failed = { at: clock.now(), ms: clock.now() - began, reason: reasonOf(error) };
      if (!(error instanceof ActuatorError)) return failed;
      return { ...failed, lateMs: error.lateMs, isLasting: error.code === 'original-gone' };
    }
  }

  #report(report: MutatorEvent): void {
    this.#context.events({ id: this.id, ...report });
  }

  #stopAlarm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  /** Schedules the next automatic reset. */
  #setAlarm(): void {
    const ms = this.#isOver ? undefined : this.#longestRest();
    if (ms === undefined) return;
    const cause = this.#rest.kind === 'active' ? 'expiry' : 'retry';
    this.#disarm = this.#context.clock.after(Math.max(0, ms), () => {
      this.#disarm = undefined;
      this.#add({ cause });
    });
  }

  #longestRest(): number | undefined {
    const now = this.#context.clock.now();
    if (this.#rest.kind === 'idle') return undefined;
    if (this.#rest.kind === 'active') {
      const { maxActiveMs } = this.mutator;
      return maxActiveMs && this.#rest.since + maxActiveMs - now;
    }
    if (this.#failures > 0) return this.#retryDelay();
    if (this.#unsettled === undefined || this.#unsettled.until <= now) return undefined;
    const pause = FIRST_PAUSE_MS * 2 ** (this.#unsettled.resets - 1);
    return Math.min(this.#unsettled.until - now, pause);
  }

  /** Returns the delay after a failed reset; undefined if no retry follows. */
  #retryDelay(): number | undefined {
    const { retryDelaysMs } = this.#context;
    const isLast = this.#isLasting || this.#failures > LAST_RETRIES;
    if (this.#settling > 0 && isLast) return undefined;
    return retryDelaysMs[this.#failures - 1] ?? retryDelaysMs.at(-1);
  }
}

function heldText(since: number): string {
  return `the server was stopped at ${new Date(since).toISOString()}, and admits no mutation until perturb mutators stop --release`;
}

/** Returns the reason of a failure, for the log. An error that is not the user's system's is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ActuatorError || error instanceof StateError) return error.message;
  return `a bug in Perturb: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
