import { join } from 'node:path';
import type { Objective } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import { defined } from '../../values/index.js';
import { asksForBaseline } from '../attempt/judge.js';
import { type DoneAttempt, isCausalRun, type RunState } from '../journal/run-state.js';
import {
  type EventSource,
  openSource,
  readAttemptSession,
  recordedReading,
  SESSION_VARIABLE,
} from './attempt-events.js';
import { type JournaledState, resetLeft } from './begin-run.js';
import { endOldGuard, openGuard, TOKEN } from './command.js';
import type { OpenSource } from './otlp-receiver.js';
import type { AttemptSetup, CommonSetup } from './run-attempt.js';
import { answers, type Servers } from './servers.js';

/*
 * A bench is a set of servers with an environment: a system at which attempts are made, one at a time. A run
 * without benches has a single unnamed one.
 */

export interface Bench {
  readonly name?: string;
  /** By the names that plans use. */
  readonly servers: Servers;
  /** The environment of its commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: readonly EventSource[];
}

interface BenchesSetup extends CommonSetup {
  readonly benches: readonly Bench[];
  /** All servers, by their own names. */
  readonly servers: Servers;
  /** The run's directory, absolute. */
  readonly out: string;
  readonly state: JournaledState;
  /** Aborted when the run must not continue. */
  readonly signal: AbortSignal;
  readonly tell: (news: BenchNews) => void;
}

/** A bench has stopped responding, or responds again. */
export interface BenchNews {
  readonly kind: 'set-aside' | 'returned';
  readonly bench: string;
}

/** Interval of checking that a bench responds again. */
const LOOK_MS = 1_000;

/** The benches of a run: the free ones, and the unresponsive ones that are set aside. */
export class Benches {
  readonly #setup: BenchesSetup;
  readonly #ends: (() => Promise<void> | void)[] = [];
  readonly #free: AttemptSetup[] = [];
  readonly #away = new Set<AttemptSetup>();
  #wake: () => void = () => {};
  #looking: NodeJS.Timeout | undefined;

  private constructor(setup: BenchesSetup) {
    this.#setup = setup;
  }

  /** Opens the benches: their sources of events, and the guards of their commands. Rejects with a RunError. */
  static async open(setup: BenchesSetup): Promise<Benches> {
    const opened = new Benches(setup);
    setup.signal.addEventListener('abort', opened.wake, { once: true });
    const prefix = `${TOKEN}=${join(setup.out, 'attempts')}/`;
    if (setup.state.current.open.length > 0) await endOldGuard(prefix);
    try {
      for (const bench of setup.benches) await opened.#open(bench, prefix);
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  }

  async #open({ name, servers, env, events }: Bench, prefix: string): Promise<void> {
    const {
      record,
      objective,
      space,
      cwd,
      configDirectory,
      collectedReading,
      guardCheck,
      recoveryCheck,
      readyCheck,
      out,
      state,
    } = this.#setup;
    const directory = join(out, 'attempts');
    const guard = openGuard(prefix);
    this.#ends.push(() => guard.close());
    const sources: OpenSource[] = [];
    for (const event of events) {
      const source = await openSource(event);
      this.#ends.push(() => source.close());
      sources.push(source);
    }
    this.#free.push({
      ...{
        record,
        objective,
        space,
        cwd,
        configDirectory,
        collectedReading,
        ...defined({ guardCheck, recoveryCheck, readyCheck }),
      },
      ...{ sources, reading: recordedReading(record, SESSION_VARIABLE) },
      ...{ bench: name, servers, directory, env, guard },
      patience: () => this.patienceMs,
      baseline: baselineReader(objective, directory, name, () => state.current),
      isCausal: () => isCausalRun(state.current),
    });
  }

  /** The number of benches. */
  get count(): number {
    return this.#setup.benches.length;
  }

  has(name: string | undefined): boolean {
    return this.#setup.benches.some((bench) => bench.name === name);
  }

  /** True if there is only one, whose servers are waited for. */
  get isOne(): boolean {
    return this.count === 1;
  }

  /** The timeout for an unresponsive server: 0 if attempts can be made elsewhere. */
  get patienceMs(): number {
    const hasOthers = this.count - this.#away.size > 1;
    return hasOthers ? 0 : (this.#setup.record.patienceMs ?? 0);
  }

  /** The benches that are free. */
  get free(): readonly AttemptSetup[] {
    return this.#free;
  }

  /** Takes a free bench, which must be returned. */
  take(): AttemptSetup | undefined {
    return this.#free.shift();
  }

  giveBack(bench: AttemptSetup): void {
    this.#free.push(bench);
    this.wake();
  }

  /** True if all servers of a bench respond, and nothing is left mutated there. */
  async isWell({ bench, servers: own }: AttemptSetup): Promise<boolean> {
    const { servers, state } = this.#setup;
    const found = await Promise.all([...own.values()].map(answers));
    if (found.includes(false)) return false;
    const left = state.current.inForce.filter((one) => one.bench === bench);
    return (await resetLeft(servers, state, left, { ms: 0 })).length === 0;
  }

  /** Sets a bench aside until it has recovered. */
  setAside(bench: AttemptSetup): void {
    this.#away.add(bench);
    this.#setup.tell({ kind: 'set-aside', bench: bench.bench ?? '' });
    this.#looking ??= setTimeout(() => this.#look(), LOOK_MS);
    this.wake();
  }

  /** Sets a free bench aside. */
  setAsideNamed(name: string | undefined): void {
    const at = this.#free.findIndex(({ bench }) => bench === name);
    for (const bench of this.#free.splice(at, 1)) this.setAside(bench);
  }

  /** Stops checking the benches that were set aside. */
  stopLooking(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
  }

  async #look(): Promise<void> {
    const looked = await Promise.all(
      [...this.#away].map(async (bench) => ((await this.isWell(bench)) ? [bench] : [])),
    ).catch(() => []);
    const well = looked.flat();
    if (this.#looking === undefined) return;
    this.#looking =
      this.#away.size > well.length ? setTimeout(() => this.#look(), LOOK_MS) : undefined;
    for (const bench of well) {
      this.#away.delete(bench);
      this.#setup.tell({ kind: 'returned', bench: bench.bench ?? '' });
      this.giveBack(bench);
    }
  }

  /** Wakes the waits for a change. */
  readonly wake = (): void => this.#wake();

  /** Waits until a bench is returned or set aside, or the run must not continue. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Waits for a bench when all are set aside; false if the timeout is over first, or the run must not continue. */
  async awaitReturn(): Promise<boolean> {
    const { record, signal } = this.#setup;
    if (signal.aborted) return false;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.wake();
    }, record.patienceMs ?? 0);
    while (this.#free.length === 0 && !isOver && !signal.aborted) await this.changed();
    clearTimeout(timer);
    return this.#free.length > 0;
  }

  async close(): Promise<void> {
    this.stopLooking();
    this.#setup.signal.removeEventListener('abort', this.wake);
    for (const end of this.#ends.reverse()) await end();
  }
}

/** Returns a function that reads the sessions of a bench's baseline, each once, if a check needs them. */
function baselineReader(
  objective: Objective,
  directory: string,
  bench: string | undefined,
  state: () => RunState,
): AttemptSetup['baseline'] {
  const isAsked = asksForBaseline(objective);
  const known = new Map<DoneAttempt, Session>();
  return async () => {
    const { baselines } = state();
    for (const one of isAsked ? baselines : []) {
      if (known.has(one) || one.bench !== bench) continue;
      const session = await readAttemptSession(directory, one);
      if (session !== undefined) known.set(one, session);
    }
    return [...known.values()];
  };
}
