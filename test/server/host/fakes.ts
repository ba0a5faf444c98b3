import type { LiveActuator } from '../../../src/actuators/actuator.js';
import { ActuatorError } from '../../../src/actuators/actuator-error.js';
import type { Clock } from '../../../src/actuators/scheduling.js';
import type { ManifestMutator, Mutation } from '../../../src/mutators/index.js';
import type { HostEvent } from '../../../src/server/host/host.js';
import { type HostOptions, LifecycleHost } from '../../../src/server/host/host-lifecycle.js';

import type { MutatorRecord, StateJournal } from '../../../src/server/host/state-journal.js';

import { StateError } from '../../../src/server/host/state-journal.js';
import { format } from '../../../src/values/index.js';

/** Lets everything happen that can happen without the clock and without actuators. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A clock that stands still until it is told. */
export class FakeClock implements Clock {
  #now = 1_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  date(): number {
    return Date.UTC(2026, 0, 1) + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass, with everything that happens meanwhile in its order. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers = this.#timers.filter((one) => one !== next);
      next.run();
    }
    this.#now = end;
    await settle();
  }
}

/** A journal in memory, which outlives hosts. It can be told to refuse. */
export class MemoryJournal implements StateJournal {
  readonly entries = new Map<string, MutatorRecord>();
  readonly log: string[] = [];
  held: number | undefined;
  refuses = false;

  get size(): number {
    return this.log.length;
  }

  async touch(id: string, touched: MutatorRecord): Promise<void> {
    await this.#write(`touch ${id}`);
    this.entries.set(id, touched);
  }

  async clear(id: string): Promise<void> {
    await this.#write(`clear ${id}`);
    this.entries.delete(id);
  }

  async hold(since: number | undefined): Promise<void> {
    this.held = since;
    await this.#write(since === undefined ? 'release' : 'hold');
  }

  async close(): Promise<void> {}

  async #write(line: string): Promise<void> {
    if (this.refuses) throw new StateError('not-written', 'journal', 'ENOSPC');
    this.log.push(line);
  }
}

/** A call of an actuator that has not ended. */
interface Call {
  readonly what: string;
  readonly end: (isGood: boolean) => void;
}

/**
 * An actuator whose calls end when they are told to, or at once where a plan
 * says how. Its system is touched from the moment an injection begins.
 */
export class FakeActuator implements LiveActuator {
  readonly calls: string[] = [];
  /** How the next calls end; without a plan they wait. */
  plan: boolean[] = [];
  /** How calls end that the plan has nothing for; undefined to wait. */
  always: boolean | undefined;
  heedsSignals = true;
  /** For how long an injection that fails may still take effect. */
  lateMs: number | undefined;
  /** What the system holds: nothing when it is as it was. */
  system: string | undefined;
  /** What a reset finds to have been removed. */
  gone: string | undefined;
  call: Call | undefined;
  closed = false;

  inject({ id, params }: Mutation, signal?: AbortSignal): Promise<void> {
    const text = [...params.values()].map(format).join();
    this.system = text;
    return this.#act(`inject ${text || id}`, signal);
  }

  async reset(signal?: AbortSignal, onGone?: (found: string) => void): Promise<void> {
    await this.#act('reset', signal);
    if (this.gone !== undefined) onGone?.(this.gone);
    this.system = undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  #act(what: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.call !== undefined) throw new Error(`${what} began while ${this.call.what} ran`);
    this.calls.push(what);
    return new Promise((resolve, reject) => {
      const end = (error?: ActuatorError) => {
        this.call = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      const lateMs = what === 'reset' ? undefined : this.lateMs;
      const refuse = () => end(new ActuatorError('status', what, '503', lateMs));
      this.call = { what, end: (isGood) => (isGood ? end() : refuse()) };
      const abort = () => this.heedsSignals && end(new ActuatorError('aborted', what));
      signal?.addEventListener('abort', abort, { once: true });
      const planned = this.plan.shift() ?? this.always;
      if (planned !== undefined) queueMicrotask(() => this.call?.end(planned));
    });
  }
}

/** A host of fakes. */
export interface Stage {
  readonly host: LifecycleHost;
  readonly clock: FakeClock;
  readonly journal: MemoryJournal;
  readonly actuators: ReadonlyMap<string, FakeActuator>;
  readonly events: HostEvent[];
  readonly closed: () => boolean;
}

/** What a host can be given: the fakes of an earlier one, which is gone by then. */
export interface Given {
  readonly clock?: FakeClock;
  readonly journal?: MemoryJournal;
  readonly actuators?: ReadonlyMap<string, FakeActuator>;
  readonly forget?: HostOptions['forget'];
  readonly listen?: HostOptions['events'];
}

/** Sets a host up. */
export function stage(mutators: readonly ManifestMutator[], given: Given = {}): Stage {
  const { clock = new FakeClock(), journal = new MemoryJournal(), forget = async () => [] } = given;
  const fakes = () => new Map(mutators.map(({ id }) => [id, new FakeActuator()]));
  const { actuators = fakes() } = given;
  const events: HostEvent[] = [];
  let closed = false;
  const host = new LifecycleHost({
    mutators,
    actuators,
    journal,
    clock,
    forget,
    retryDelaysMs: [10, 20, 40],
    queueLimit: 4,
    events: given.listen ?? ((event) => void events.push(event)),
    close: async () => {
      closed = true;
    },
  });
  return { host, clock, journal, actuators, events, closed: () => closed };
}
