import type { Clock, LiveActuator } from '../../actuators/acting/index.js';
import type { ManifestMutator, Mutation } from '../../mutators/index.js';
import { type ActionEnd, type ActionStep, performAction, reportOf } from './actions.js';
import type { HostEvents, ResetCause } from './host.js';
import {
  type Answer,
  alarmOf,
  type Event,
  type Policy,
  type Rest,
  type State,
  transition,
} from './lifecycle.js';

import type { StateJournal } from './state-journal.js';

/** Performs tasks one at a time, in the order in which they were added. */
class SerialQueue<Task> {
  readonly #perform: (task: Task) => Promise<void>;
  readonly #onStill: () => void;
  #tasks: Task[] = [];
  #isWorking = false;

  /**
   * @param perform must not reject
   * @param onStill called when no task is left
   */
  constructor(perform: (task: Task) => Promise<void>, onStill: () => void) {
    this.#perform = perform;
    this.#onStill = onStill;
  }

  /** Whether a task is being performed. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#tasks.length;
  }

  /** Adds a task; it begins at once when no other is being performed. */
  add(task: Task): void {
    this.#tasks.push(task);
    if (!this.#isWorking) void this.#work();
  }

  /** Takes all tasks out that wait. */
  clear(): Task[] {
    return this.#tasks.splice(0);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#tasks.shift(); next !== undefined; next = this.#tasks.shift()) {
      await this.#perform(next);
    }
    this.#isWorking = false;
    this.#onStill();
  }
}

/** Lets others wait until something holds. */
class Conditions {
  #waiting: { readonly ready: () => boolean; readonly resolve: () => void }[] = [];

  /** Resolves when a condition holds, as far as `notice` is called. */
  when(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ ready, resolve }));
  }

  /** Looks again whether conditions hold, for something has changed. */
  notice(): void {
    const ready = this.#waiting.filter((one) => one.ready());
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one));
    for (const { resolve } of ready) resolve();
  }
}

/** What a mutator of a host needs. */
export interface MutatorContext {
  readonly journal: StateJournal;
  readonly clock: Clock;
  readonly events: HostEvents;
  readonly retryDelaysMs: readonly number[];
  /** How many operations may wait while one runs. */
  readonly queueLimit: number;
}

/** An operation that waits for its turn. */
interface Operation {
  readonly event: Event;
  /** Why it resets, if it does. */
  readonly cause: ResetCause;
  /** What it injects, if it does: a value for each parameter. */
  readonly mutation?: Mutation;
  /** Present when a client waits for the answer. */
  readonly answer?: (answer: Answer | Refused) => void;
}

/** An operation was not begun. */
interface Refused {
  readonly kind: 'busy' | 'closing';
}

const ENDED = 'the server ended before it could be done';

/** One mutator: runs its operations one at a time, in the order of their arrival. */
export class HostedMutator {
  readonly mutator: ManifestMutator;
  readonly #actuator: LiveActuator;
  readonly #around: MutatorContext;
  readonly #policy: Omit<Policy, 'isLeaving'>;
  readonly #operations = new SerialQueue<Operation>(
    (operation) => this.#perform(operation),
    () => this.#conditions.notice(),
  );
  #state: State;
  /** Takes no requests any more. */
  #isClosed = false;
  /** How many wait for it to be settled. */
  #settling = 0;
  /** The operation that runs. */
  #current: Operation | undefined;
  /** Does nothing any more. */
  #isOver = false;
  #disarm: (() => void) | undefined;
  #interruption = new AbortController();
  readonly #conditions = new Conditions();

  /** @param state how an earlier process left it, as far as the journal tells */
  constructor(
    mutator: ManifestMutator,
    actuator: LiveActuator,
    state: Rest,
    around: MutatorContext,
  ) {
    const { maxActiveMs } = mutator;
    const { retryDelaysMs } = around;
    this.mutator = mutator;
    this.#actuator = actuator;
    this.#around = around;
    this.#policy = { retryDelaysMs, ...(maxActiveMs !== undefined && { maxActiveMs }) };
    this.#state = state;
  }

  get id(): string {
    return this.mutator.id;
  }

  get state(): State {
    return this.#state;
  }

  /** How many operations wait. */
  get waiting(): number {
    return this.#operations.waiting;
  }

  /** Whether an operation runs. */
  get isWorking(): boolean {
    return this.#operations.isWorking;
  }

  /** Whether an operation runs that somebody has asked for. */
  get isServing(): boolean {
    return this.#current?.answer !== undefined;
  }

  /** @param mutation with a value for each parameter */
  inject(mutation: Mutation): Promise<Answer | Refused> {
    return this.#ask('inject', mutation);
  }

  reset(): Promise<Answer | Refused> {
    return this.#ask('reset');
  }

  /** Refuses all requests from now on, those that wait included; what runs goes on. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#operations.clear()) answer?.({ kind: 'closing' });
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
    this.#conditions.notice();
  }

  /** Resets, in its turn, what is in force or may be; resolves when that is done or given up. */
  async settle(cause: ResetCause): Promise<void> {
    this.#settling += 1;
    this.#operations.add({ event: { kind: 'leave' }, cause });
    const isQuiet = () => !this.isWorking && this.waiting === 0 && this.#disarm === undefined;
    await this.#conditions.when(() => isQuiet() || this.#isOver);
    this.#settling -= 1;
  }

  /** Resolves when no operation runs. */
  whenStill(): Promise<void> {
    return this.#conditions.when(() => !this.isWorking);
  }

  #ask(kind: 'inject' | 'reset', mutation?: Mutation): Promise<Answer | Refused> {
    if (this.#isClosed) return Promise.resolve({ kind: 'closing' });
    const { waiting } = this;
    if (this.isWorking && waiting >= this.#around.queueLimit) {
      this.#around.events({ kind: 'busy', id: this.id, operation: kind, waiting });
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((answer) =>
      this.#operations.add({
        event: { kind },
        cause: 'request',
        answer,
        ...(mutation && { mutation }),
      }),
    );
  }

  async #perform(operation: Operation): Promise<void> {
    const { clock, events } = this.#around;
    const { event, cause, mutation } = operation;
    this.#current = operation;
    this.#stopAlarm();
    let step = transition(this.#state, event);
    while ('action' in step) {
      this.#state = step.state;
      const began = clock.now();
      const ended = await this.#act(step, mutation);
      const next = transition(step.state, ended);
      const outcome = { step, ended, next, ms: clock.now() - began };
      const report = reportOf(outcome, cause, mutation?.id, this.#currentPolicy());
      if (report !== undefined) events({ id: this.id, ...report });
      step = next;
    }
    this.#state = step.state;
    this.#setAlarm(step.state);
    this.#current = undefined;
    operation.answer?.(step.answer);
  }

  #currentPolicy(): Policy {
    return { ...this.#policy, isLeaving: this.#settling > 0 };
  }

  #stopAlarm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #setAlarm(state: Rest): void {
    const { clock } = this.#around;
    const alarm = this.#isOver ? undefined : alarmOf(state, clock.now(), this.#currentPolicy());
    if (alarm === undefined) return;
    const cause = alarm.event.kind === 'expire' ? 'expiry' : 'retry';
    this.#disarm = clock.after(Math.max(0, alarm.at - clock.now()), () => {
      this.#disarm = undefined;
      this.#operations.add({ event: alarm.event, cause });
    });
  }

  async #act({ action }: ActionStep, mutation: Mutation | undefined): Promise<ActionEnd> {
    const { clock, journal } = this.#around;
    if (this.#isOver) return { kind: 'failed', at: clock.now(), reason: ENDED };
    this.#interruption = new AbortController();
    const means = { id: this.id, actuator: this.#actuator, journal, clock };
    return performAction(action, mutation, means, this.#interruption.signal);
  }
}
