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

/** What the mutators of a host share. */
export interface MutatorContext {
  readonly journal: StateJournal;
  readonly clock: Clock;
  readonly events: HostEvents;
  /** How long to wait after the first, second... failure of a reset; the last for all that follow. */
  readonly retryDelaysMs: readonly number[];
  /** How many operations may wait while one runs. */
  readonly queueLimit: number;
  /** Drops what is kept of a mutator beside the journal. @returns what that leaves behind, in words */
  readonly forget: (id: string) => Promise<readonly string[]>;
}

/** How a mutator is while nothing is being done. It may be active after a crash or a failed reset, or in doubt. */
type Rest =
  | { readonly kind: 'idle' }
  /** Since that time of the clock. */
  | { readonly kind: 'active'; readonly since: number }
  | { readonly kind: 'maybe-active'; readonly reason: string };

/** What is being done: `recording` tells the journal before the system is touched, `clearing` after a reset. */
type Doing = 'recording' | 'injecting' | 'resetting' | 'clearing';

export type MutatorState = Rest['kind'] | Doing;

type Answer = InjectOutcome | ResetOutcome;

/** An operation: an injection, or else a reset. */
interface Operation {
  readonly cause: ResetCause;
  /** What it injects: a value for each parameter. */
  readonly mutation?: Mutation | undefined;
  /** The run that asks for the injection, or whose mutation alone is reset. */
  readonly run?: string | undefined;
  /** Whether the mutator counts as reset even if that fails. */
  readonly forget?: boolean | undefined;
  /** Present when a client waits for the answer. */
  readonly answer?: (answer: Answer) => void;
}

/** How something that was done has ended: without a reason, it succeeded. */
interface Ended {
  readonly at: number;
  readonly ms: number;
  readonly reason?: string;
  /** For how long what failed may still take effect, as far as is known. */
  readonly lateMs?: number | undefined;
  /** Whether it fails until a person has done something. */
  readonly isLasting?: boolean;
}

const IDLE: Rest = { kind: 'idle' };
const ENDED = 'the server ended before it could be done';

/** Why a mutator is reset again even though it was reset. */
export const IN_DOUBT = 'an injection that timed out or was interrupted may still take effect';

/** How often a reset that fails is tried again when nobody can wait any longer. */
const LAST_RETRIES = 3;

/** How soon a mutator in doubt is reset again at first; each time the pause doubles. */
const FIRST_PAUSE_MS = 250;

/** One mutator: runs its operations one at a time, in the order of their arrival. */
export class HostedMutator {
  readonly mutator: ManifestMutator;
  readonly #actuator: LiveActuator;
  readonly #around: MutatorContext;
  #rest: Rest;
  #doing: Doing | undefined;
  /** How many resets in a row have failed, and whether the last one fails until a person has done something. */
  #failures = 0;
  #isLasting = false;
  /** The mutation of a run that is or may be in force. */
  #owned: OwnedMutation | undefined;
  /**
   * An injection that was given up may still take effect: a request that the system is working on,
   * say. Until this time of the clock, no reset is the last one. `resets` counts those done meanwhile.
   */
  #doubt: { readonly until: number; readonly resets: number } | undefined;
  readonly #waiting: Operation[] = [];
  #isWorking = false;
  #current: Operation | undefined;
  /** Takes no more requests. */
  #isClosed = false;
  /** Does nothing more. */
  #isOver = false;
  /** How many callers wait for it to be settled: then a failed reset is tried again only a few times. */
  #settling = 0;
  #disarm: (() => void) | undefined;
  #interruption = new AbortController();
  /** Tells when no operation is running any more. */
  readonly #changes = new EventEmitter();

  /** @param leftBy why it may be active, where an earlier process left it so */
  constructor(
    mutator: ManifestMutator,
    actuator: LiveActuator,
    leftBy: string | undefined,
    around: MutatorContext,
  ) {
    this.mutator = mutator;
    this.#actuator = actuator;
    this.#around = around;
    this.#rest = leftBy === undefined ? IDLE : { kind: 'maybe-active', reason: leftBy };
  }

  get id(): string {
    return this.mutator.id;
  }

  get state(): MutatorState {
    return this.#doing ?? this.#rest.kind;
  }

  get failures(): number {
    return this.#failures;
  }

  /** How many operations wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether an operation runs that somebody has asked for. */
  get isServing(): boolean {
    return this.#current?.answer !== undefined;
  }

  /** Why it may be left mutated if nothing more is done; otherwise undefined. */
  get residue(): string | undefined {
    if (this.#doing === 'injecting') return 'its injection has not ended';
    if (this.#doing === 'resetting') return 'its reset has not ended';
    if (this.#doing === 'clearing' || this.#rest.kind === 'idle') return undefined;
    return this.#rest.kind === 'active' ? 'it was not reset' : this.#rest.reason;
  }

  /** Injects in its turn, with a value for each parameter; resets if there is no mutation. */
  ask(asked: Pick<Operation, 'mutation' | 'run' | 'forget'>): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve({ kind: 'closing' });
    const { waiting } = this;
    if (this.#isWorking && waiting >= this.#around.queueLimit) {
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

  /** Refuses all requests from now on, including those that wait; what runs goes on. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#waiting.splice(0)) answer?.({ kind: 'closing' });
  }

  /** Breaks off what the actuator is doing, which then counts as failed. */
  interrupt(): void {
    this.#interruption.abort();
  }

  /** Does nothing more by itself, whatever the state. What runs is broken off. */
  abandon(): void {
    this.#isOver = true;
    this.close();
    this.#stopAlarm();
    this.interrupt();
    this.#changes.emit('change');
  }

  /** Resets, in its turn, what is in force or may be; resolves when that is done or given up. */
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
      this.#doing = undefined;
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
    const { held } = this.#around.journal;
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
      this.#doubt = { until: Math.max(at + lateMs, this.#doubt?.until ?? 0), resets: 0 };
    }
    return this.#reset('failed-injection', reason);
  }

  /** @param failure why the injection failed, if that is why it is reset */
  async #reset(cause: ResetCause, failure?: string): Promise<Answer> {
    // Whether it ends a doubt whose time is over.
    const isLast = cause === 'retry' ? this.#settling > 0 : failure === undefined;
    if (cause !== 'retry') this.#failures = 0;
    let gone: string | undefined;
    const onGone = (found: string) => {
      gone = found;
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
    const doubt = this.#doubt;
    if (doubt === undefined || (isLast && at >= doubt.until)) {
      await this.#clear();
    } else {
      this.#rest = { kind: 'maybe-active', reason: IN_DOUBT };
      this.#doubt = { ...doubt, resets: doubt.resets + 1 };
    }
    return failure === undefined ? { kind: 'reset' } : { kind: 'failed', reason: failure };
  }

  /** Counts a mutator that cannot be reset as reset. @param reason why it cannot */
  async #forget(reason: string): Promise<Answer> {
    let kept: readonly string[] = [];
    const { reason: failure } = await this.#act('clearing', async () => {
      kept = await this.#around.forget(this.id);
    });
    if (failure !== undefined) return { kind: 'failed', reason: `${reason}; ${failure}` };
    this.#failures = 0;
    this.#owned = undefined;
    await this.#clear();
    return { kind: 'forgotten', left: kept.length > 0 ? kept.join('; ') : reason };
  }

  /** Notes that it is as it was. */
  async #clear(): Promise<void> {
    // A journal that cannot be written errs on the safe side: the next start resets once more.
    await this.#tell('clearing', () => this.#around.journal.clear(this.id));
    this.#rest = IDLE;
    this.#doubt = undefined;
  }

  /** Notes that the system is about to be touched; gives the reason if that cannot be noted. */
  #record(mutation?: string): Promise<string | undefined> {
    const { journal, clock } = this.#around;
    const what = mutation !== undefined && { mutation };
    return this.#tell('recording', () => journal.touch(this.id, { ...what, since: clock.date() }));
  }

  async #tell(doing: Doing, write: () => Promise<void>): Promise<string | undefined> {
    const { reason } = await this.#act(doing, write);
    if (reason !== undefined) this.#report({ kind: 'record-failed', reason });
    return reason;
  }

  async #act(doing: Doing, work: (signal: AbortSignal) => Promise<void>): Promise<Ended> {
    const { clock } = this.#around;
    const began = clock.now();
    this.#doing = doing;
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
    this.#around.events({ id: this.id, ...report });
  }

  #stopAlarm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  /** Resets by itself when it has rested for long enough. */
  #setAlarm(): void {
    const ms = this.#isOver ? undefined : this.#longestRest();
    if (ms === undefined) return;
    const cause = this.#rest.kind === 'active' ? 'expiry' : 'retry';
    this.#disarm = this.#around.clock.after(Math.max(0, ms), () => {
      this.#disarm = undefined;
      this.#add({ cause });
    });
  }

  #longestRest(): number | undefined {
    const now = this.#around.clock.now();
    if (this.#rest.kind === 'idle') return undefined;
    if (this.#rest.kind === 'active') {
      const { maxActiveMs } = this.mutator;
      return maxActiveMs && this.#rest.since + maxActiveMs - now;
    }
    if (this.#failures > 0) return this.#retryDelay();
    if (this.#doubt === undefined || this.#doubt.until <= now) return undefined;
    const pause = FIRST_PAUSE_MS * 2 ** (this.#doubt.resets - 1);
    return Math.min(this.#doubt.until - now, pause);
  }

  /** How long to wait after a reset has failed; undefined when it is given up. */
  #retryDelay(): number | undefined {
    const { retryDelaysMs } = this.#around;
    const isLast = this.#isLasting || this.#failures > LAST_RETRIES;
    if (this.#settling > 0 && isLast) return undefined;
    return retryDelaysMs[this.#failures - 1] ?? retryDelaysMs.at(-1);
  }
}

function heldText(since: number): string {
  return `the server was stopped at ${new Date(since).toISOString()}, and admits no mutation until perturb mutators stop --release`;
}

/** Why something failed, for the log. What is not an error of the user's system is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ActuatorError || error instanceof StateError) return error.message;
  return `a bug in Perturb: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
