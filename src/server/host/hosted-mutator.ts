import { EventEmitter, once } from 'node:events';
import { ActuatorError, type Clock, type LiveActuator } from '../../actuators/acting/index.js';
import type { ManifestMutator, Mutation } from '../../mutators/index.js';
import { defined } from '../../values/index.js';
import type {
  HostEventListener,
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
  readonly events: HostEventListener;
  /**
   * Delays before retrying a failed reset, by the number of failures. The last delay applies to all further failures.
   */
  readonly retryDelaysMs: readonly number[];
  /** Maximum number of operations that wait for the current operation. */
  readonly queueLimit: number;
  /**
   * Removes a mutator's records outside the journal.
   *
   * @returns descriptions of the residue
   */
  readonly forget: (id: string) => Promise<readonly string[]>;
}

/** The state between operations. A mutator may be active after a crash, a failed reset or an abandoned injection. */
type RestState =
  | { readonly kind: 'idle' }
  /** The mutator has been active since this clock time. */
  | { readonly kind: 'active'; readonly since: number }
  | { readonly kind: 'maybe-active'; readonly reason: string };

/** The current step. `recording` writes the journal before the system is touched, and `clearing` after a reset. */
type Step = 'recording' | 'injecting' | 'resetting' | 'clearing';

export type MutatorState = RestState['kind'] | Step;

type Answer = InjectOutcome | ResetOutcome;

/** An operation: an injection if it has a mutation, otherwise a reset. */
interface Operation {
  readonly cause: ResetCause;
  /** The mutation to inject, with a value for each parameter; absent for a reset. */
  readonly mutation?: Mutation | undefined;
  /** The requesting run. For the cause `orphaned`, the only run whose mutation is reset. */
  readonly run?: string | undefined;
  /** True to count the mutator as reset even if the reset fails. */
  readonly forget?: boolean | undefined;
  /** Present if a client waits for the response. */
  readonly answer?: (answer: Answer) => void;
}

/** A step's result. A successful step has no reason. */
interface StepResult {
  readonly at: number;
  readonly ms: number;
  readonly reason?: string;
  /** Time during which a failed step may still take effect, if known. */
  readonly lateMs?: number | undefined;
  /** True if the step will keep failing until somebody intervenes. */
  readonly isLasting?: boolean;
}

const IDLE: RestState = { kind: 'idle' };
const HOST_ENDED = 'the server shut down first';

/** The reason for another reset after a successful reset. */
export const UNSETTLED_REASON =
  'an injection that timed out or was interrupted may still take effect';

/** Maximum number of retries of a failed reset while `settle` waits. */
const MAX_FINAL_RETRIES = 3;

/** Delay before the first further reset of an unsettled mutator. Each further delay is twice the previous delay. */
const FIRST_PAUSE_MS = 250;

/** A mutator that runs its operations one at a time, in order of arrival. */
export class HostedMutator {
  readonly mutator: ManifestMutator;
  readonly #actuator: LiveActuator;
  readonly #context: MutatorContext;
  #restState: RestState;
  #step: Step | undefined;
  /**
   * The number of consecutive failed resets. `#isLasting` is true if resets will keep failing until somebody
   * intervenes.
   */
  #failures = 0;
  #isLasting = false;
  /** A run's mutation that is or may be active. */
  #ownedMutation: OwnedMutation | undefined;
  /**
   * The period in which an abandoned injection may still take effect, for example because the system is still
   * processing a request. No reset before `until`, a clock time, is final. `resets` is the number of resets in the
   * period.
   */
  #unsettledPeriod: { readonly until: number; readonly resets: number } | undefined;
  readonly #queue: Operation[] = [];
  #isWorking = false;
  #current: Operation | undefined;
  /** True once the mutator refuses requests. */
  #isClosed = false;
  /** True once the mutator starts no further operations. */
  #isAbandoned = false;
  /** The number of waiting `settle` calls. While any call waits, a failed reset is retried only a few times. */
  #settleCount = 0;
  #cancelAlarm: (() => void) | undefined;
  #interruption = new AbortController();
  /** Emits `change` when the last operation has ended, or when the mutator is abandoned. */
  readonly #changes = new EventEmitter();

  /** @param activeReason the reason why an earlier process may have left the mutator active */
  constructor(
    mutator: ManifestMutator,
    actuator: LiveActuator,
    activeReason: string | undefined,
    context: MutatorContext,
  ) {
    this.mutator = mutator;
    this.#actuator = actuator;
    this.#context = context;
    this.#restState =
      activeReason === undefined ? IDLE : { kind: 'maybe-active', reason: activeReason };
  }

  get id(): string {
    return this.mutator.id;
  }

  get state(): MutatorState {
    return this.#step ?? this.#restState.kind;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The number of waiting operations. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** True if a requested operation is running. */
  get isServing(): boolean {
    return this.#current?.answer !== undefined;
  }

  /** The reason why the mutator may stay active without a further reset; undefined if no reset is needed. */
  get residue(): string | undefined {
    if (this.#step === 'injecting') return 'its injection has not ended';
    if (this.#step === 'resetting') return 'its reset has not ended';
    if (this.#step === 'clearing' || this.#restState.kind === 'idle') return undefined;
    return this.#restState.kind === 'active' ? 'it was not reset' : this.#restState.reason;
  }

  /** Queues an injection, or a reset if the request has no mutation. Resolves with the outcome. */
  enqueue(request: Pick<Operation, 'mutation' | 'run' | 'forget'>): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve({ kind: 'closing' });
    const { waiting } = this;
    if (this.#isWorking && waiting >= this.#context.queueLimit) {
      const operation = request.mutation === undefined ? 'reset' : 'inject';
      this.#report({ kind: 'busy', operation, waiting });
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((answer) => this.#add({ cause: 'request', ...request, answer }));
  }

  /** Queues a reset if a run's mutation is or may be active, or may become active. */
  orphan(run: string): void {
    if (this.#isWorking || this.#ownedMutation?.run === run) this.#add({ cause: 'orphaned', run });
  }

  /** Refuses all waiting and further requests. The current operation continues. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#queue.splice(0)) answer?.({ kind: 'closing' });
  }

  /** Aborts the actuator's work, which then counts as failed. */
  interrupt(): void {
    this.#interruption.abort();
  }

  /** Aborts the current operation, and prevents any further operation. */
  abandon(): void {
    this.#isAbandoned = true;
    this.close();
    this.#stopAlarm();
    this.interrupt();
    this.#changes.emit('change');
  }

  /** Queues a reset, and waits until no operation or retry is pending, or until the mutator is abandoned. */
  async settle(cause: ResetCause): Promise<void> {
    this.#settleCount += 1;
    this.#add({ cause });
    await this.#waitUntil(
      () => this.#isAbandoned || (!this.#isWorking && this.#cancelAlarm === undefined),
    );
    this.#settleCount -= 1;
  }

  /** Resolves when no operation runs. */
  waitUntilIdle(): Promise<void> {
    return this.#waitUntil(() => !this.#isWorking);
  }

  async #waitUntil(isReady: () => boolean): Promise<void> {
    while (!isReady()) await once(this.#changes, 'change');
  }

  #add(operation: Operation): void {
    this.#queue.push(operation);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
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
    if (cause === 'orphaned' && this.#ownedMutation?.run !== run) return { kind: 'reset' };
    if (this.#restState.kind === 'idle') {
      if (cause !== 'request') return { kind: 'reset' };
      const reason = await this.#record();
      if (reason !== undefined) return { kind: 'failed', reason };
    }
    const answer = await this.#reset(cause);
    return forget && answer.kind === 'failed' ? this.#forget(answer.reason) : answer;
  }

  async #inject(mutation: Mutation, run: string | undefined): Promise<Answer> {
    const { held } = this.#context.journal;
    if (held !== undefined) return { kind: 'held', reason: describeHold(held) };
    const recordError = await this.#record(mutation.id);
    if (recordError !== undefined) return { kind: 'failed', reason: recordError };
    this.#failures = 0;
    const replacedMutation = this.#ownedMutation?.run === run ? undefined : this.#ownedMutation;
    this.#ownedMutation = run === undefined ? undefined : { mutation: mutation.id, run };
    const inject = (signal: AbortSignal) => this.#actuator.inject(mutation, signal);
    const { at, ms, reason, lateMs } = await this.#runStep('injecting', inject);
    const details = { mutation: mutation.id, ms };
    if (reason === undefined) {
      this.#report({ kind: 'injected', ...details, ...defined({ replaced: replacedMutation }) });
      this.#restState = { kind: 'active', since: at };
      return { kind: 'injected' };
    }
    const lateEffect = lateMs !== undefined && { lateMs };
    this.#report({ kind: 'inject-failed', ...details, reason, ...lateEffect });
    if (lateMs !== undefined) {
      this.#unsettledPeriod = {
        until: Math.max(at + lateMs, this.#unsettledPeriod?.until ?? 0),
        resets: 0,
      };
    }
    return this.#reset('failed-injection', reason);
  }

  /** Resets the mutator. @param failure the reason if an injection failed */
  async #reset(cause: ResetCause, failure?: string): Promise<Answer> {
    // True if this reset ends an unsettled period whose time is over.
    const endsUnsettled = cause === 'retry' ? this.#settleCount > 0 : failure === undefined;
    if (cause !== 'retry') this.#failures = 0;
    let goneDescription: string | undefined;
    const onGone = (residue: string) => {
      goneDescription = residue;
    };
    const reset = (signal: AbortSignal) => this.#actuator.reset(signal, onGone);
    const { at, ms, reason, isLasting = false } = await this.#runStep('resetting', reset);
    this.#isLasting = isLasting;
    const isOwnRun = cause === 'request' && this.#current?.run === this.#ownedMutation?.run;
    const ownedMutation =
      isOwnRun && goneDescription === undefined ? {} : defined({ owned: this.#ownedMutation });
    if (reason !== undefined) {
      this.#failures += 1;
      this.#restState = { kind: 'maybe-active', reason };
      const retryInMs = this.#retryDelay();
      const retry = retryInMs !== undefined && { retryInMs };
      this.#report({ kind: 'reset-failed', cause, ms, reason, ...ownedMutation, ...retry });
      const reasons =
        failure === undefined ? reason : `${failure}; then the reset failed: ${reason}`;
      return { kind: 'failed', reason: reasons };
    }
    this.#failures = 0;
    this.#report({
      kind: 'reset',
      cause,
      ms,
      ...ownedMutation,
      ...defined({ gone: goneDescription }),
    });
    this.#ownedMutation = undefined;
    const unsettledPeriod = this.#unsettledPeriod;
    if (unsettledPeriod === undefined || (endsUnsettled && at >= unsettledPeriod.until)) {
      await this.#clear();
    } else {
      this.#restState = { kind: 'maybe-active', reason: UNSETTLED_REASON };
      this.#unsettledPeriod = { ...unsettledPeriod, resets: unsettledPeriod.resets + 1 };
    }
    return failure === undefined ? { kind: 'reset' } : { kind: 'failed', reason: failure };
  }

  /**
   * Counts a mutator as reset although its reset failed.
   *
   * @param reason the reason for the failure
   */
  async #forget(reason: string): Promise<Answer> {
    let residues: readonly string[] = [];
    const { reason: failure } = await this.#runStep('clearing', async () => {
      residues = await this.#context.forget(this.id);
    });
    if (failure !== undefined) return { kind: 'failed', reason: `${reason}; ${failure}` };
    this.#failures = 0;
    this.#ownedMutation = undefined;
    await this.#clear();
    return { kind: 'forgotten', left: residues.length > 0 ? residues.join('; ') : reason };
  }

  /** Records that the mutator is back in its original state. */
  async #clear(): Promise<void> {
    // If the journal is not writable, the next start resets the mutator once more, which is safe.
    await this.#writeJournal('clearing', () => this.#context.journal.clear(this.id));
    this.#restState = IDLE;
    this.#unsettledPeriod = undefined;
  }

  /** Records that an operation is about to touch the system. Returns the reason if recording fails. */
  #record(mutation?: string): Promise<string | undefined> {
    const { journal, clock } = this.#context;
    const details = mutation !== undefined && { mutation };
    return this.#writeJournal('recording', () =>
      journal.touch(this.id, { ...details, since: clock.date() }),
    );
  }

  async #writeJournal(step: Step, write: () => Promise<void>): Promise<string | undefined> {
    const { reason } = await this.#runStep(step, write);
    if (reason !== undefined) this.#report({ kind: 'record-failed', reason });
    return reason;
  }

  async #runStep(step: Step, work: (signal: AbortSignal) => Promise<void>): Promise<StepResult> {
    const { clock } = this.#context;
    const startedAt = clock.now();
    this.#step = step;
    if (this.#isAbandoned) return { at: startedAt, ms: 0, reason: HOST_ENDED };
    this.#interruption = new AbortController();
    try {
      await work(this.#interruption.signal);
      return { at: clock.now(), ms: clock.now() - startedAt };
    } catch (error) {
      const failure = { at: clock.now(), ms: clock.now() - startedAt, reason: reasonOf(error) };
      if (!(error instanceof ActuatorError)) return failure;
      return { ...failure, lateMs: error.lateMs, isLasting: error.code === 'original-gone' };
    }
  }

  #report(report: MutatorEvent): void {
    this.#context.events({ id: this.id, ...report });
  }

  #stopAlarm(): void {
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
  }

  /** Schedules the next automatic reset. */
  #setAlarm(): void {
    const ms = this.#isAbandoned ? undefined : this.#delayUntilReset();
    if (ms === undefined) return;
    const cause = this.#restState.kind === 'active' ? 'expiry' : 'retry';
    this.#cancelAlarm = this.#context.clock.after(Math.max(0, ms), () => {
      this.#cancelAlarm = undefined;
      this.#add({ cause });
    });
  }

  #delayUntilReset(): number | undefined {
    const now = this.#context.clock.now();
    if (this.#restState.kind === 'idle') return undefined;
    if (this.#restState.kind === 'active') {
      const { maxActiveMs } = this.mutator;
      return maxActiveMs && this.#restState.since + maxActiveMs - now;
    }
    if (this.#failures > 0) return this.#retryDelay();
    if (this.#unsettledPeriod === undefined || this.#unsettledPeriod.until <= now) return undefined;
    const delayMs = FIRST_PAUSE_MS * 2 ** (this.#unsettledPeriod.resets - 1);
    return Math.min(this.#unsettledPeriod.until - now, delayMs);
  }

  /** Returns the delay after a failed reset; undefined if no retry follows. */
  #retryDelay(): number | undefined {
    const { retryDelaysMs } = this.#context;
    const isFinalRetry = this.#isLasting || this.#failures > MAX_FINAL_RETRIES;
    if (this.#settleCount > 0 && isFinalRetry) return undefined;
    return retryDelaysMs[this.#failures - 1] ?? retryDelaysMs.at(-1);
  }
}

function describeHold(since: number): string {
  return `the server was stopped at ${new Date(since).toISOString()} and refuses mutations until you run "perturb mutators stop --release"`;
}

/** Returns the reason for a failure, for the log. An error from anything but the user's system is reported as a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ActuatorError || error instanceof StateError) return error.message;
  return `a bug in Perturb: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
