import { join } from 'node:path';
import type { Objective } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import { defined } from '../../values/index.js';
import { needsBaseline } from '../attempt/judge.js';
import { type DoneAttempt, isCausalRun, type RunState } from '../journal/run-state.js';
import {
  type EventSource,
  openEventSource,
  readAttemptSession,
  recordedReadingOf,
  SESSION_VARIABLE,
} from './attempt-events.js';
import { type JournaledState, resetRemaining } from './begin-run.js';
import { endOldGuard, openGuard, TOKEN_VARIABLE } from './command.js';
import type { OpenEventSource } from './otlp-receiver.js';
import type { AttemptSetup, CommonSetup } from './run-attempt.js';
import { isResponding, type Servers } from './servers.js';

/*
 * A bench is a set of servers with an environment. Each bench makes one attempt at a time. A run without configured
 * benches has a single unnamed bench.
 */

export interface Bench {
  readonly name?: string;
  /** The bench's servers, keyed by their names in plans. */
  readonly servers: Servers;
  /** The environment of the bench's commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: readonly EventSource[];
}

interface BenchesSetup extends CommonSetup {
  readonly benches: readonly Bench[];
  /** All benches' servers, by server name. Plans may use other names. */
  readonly servers: Servers;
  /** The absolute path of the run's directory. */
  readonly out: string;
  readonly state: JournaledState;
  /** Aborted when the run must not continue. */
  readonly signal: AbortSignal;
  readonly tell: (news: BenchStatusChange) => void;
}

/** A notification that a bench has stopped or resumed responding. */
export interface BenchStatusChange {
  readonly kind: 'set-aside' | 'returned';
  readonly bench: string;
}

/** Interval between checks of an unresponsive bench. */
const CHECK_INTERVAL_MS = 1_000;

/** A run's benches: free, in use, or set aside as unresponsive. */
export class Benches {
  readonly #setup: BenchesSetup;
  readonly #cleanups: (() => Promise<void> | void)[] = [];
  readonly #free: AttemptSetup[] = [];
  readonly #setAside = new Set<AttemptSetup>();
  #wake: () => void = () => {};
  #checkTimer: NodeJS.Timeout | undefined;

  private constructor(setup: BenchesSetup) {
    this.#setup = setup;
  }

  /** Opens the benches' event sources and command guards. Rejects with a RunError. */
  static async open(setup: BenchesSetup): Promise<Benches> {
    const benches = new Benches(setup);
    setup.signal.addEventListener('abort', benches.wake, { once: true });
    const prefix = `${TOKEN_VARIABLE}=${join(setup.out, 'attempts')}/`;
    if (setup.state.current.openAttempts.length > 0) await endOldGuard(prefix);
    try {
      for (const bench of setup.benches) await benches.#open(bench, prefix);
    } catch (error) {
      await benches.close();
      throw error;
    }
    return benches;
  }

  async #open({ name, servers, env, events }: Bench, prefix: string): Promise<void> {
    const {
      record,
      objective,
      space,
      cwd,
      configDirectory,
      findReading,
      guardCheck,
      recoveryCheck,
      readyCheck,
      out,
      state,
    } = this.#setup;
    const directory = join(out, 'attempts');
    const guard = openGuard(prefix);
    this.#cleanups.push(() => guard.close());
    const sources: OpenEventSource[] = [];
    for (const event of events) {
      const source = await openEventSource(event);
      this.#cleanups.push(() => source.close());
      sources.push(source);
    }
    this.#free.push({
      ...{
        record,
        objective,
        space,
        cwd,
        configDirectory,
        findReading,
        ...defined({ guardCheck, recoveryCheck, readyCheck }),
      },
      ...{ sources, reading: recordedReadingOf(record, SESSION_VARIABLE) },
      ...{ bench: name, servers, directory, env, guard },
      patience: () => this.patienceMs,
      baseline: createBaselineReader(objective, directory, name, () => state.current),
      isCausal: () => isCausalRun(state.current),
    });
  }

  get count(): number {
    return this.#setup.benches.length;
  }

  has(name: string | undefined): boolean {
    return this.#setup.benches.some((bench) => bench.name === name);
  }

  /** True if the run has a single bench. The run then waits for unresponsive servers. */
  get isSingle(): boolean {
    return this.count === 1;
  }

  /** Time for which to retry an unresponsive server, in milliseconds; 0 if another bench can make the attempt. */
  get patienceMs(): number {
    const hasAlternative = this.count - this.#setAside.size > 1;
    return hasAlternative ? 0 : (this.#setup.record.patienceMs ?? 0);
  }

  get free(): readonly AttemptSetup[] {
    return this.#free;
  }

  /** Removes and returns a free bench. The caller must pass the bench to `giveBack` after use. */
  take(): AttemptSetup | undefined {
    return this.#free.shift();
  }

  giveBack(bench: AttemptSetup): void {
    this.#free.push(bench);
    this.wake();
  }

  /**
   * Resets a bench's mutators that were left mutated. Returns true if all servers of the bench respond and all resets
   * succeed.
   */
  async isHealthy({ bench, servers: benchServers }: AttemptSetup): Promise<boolean> {
    const { servers, state } = this.#setup;
    const responses = await Promise.all([...benchServers.values()].map(isResponding));
    if (responses.includes(false)) return false;
    const mutations = state.current.activeMutations.filter((mutation) => mutation.bench === bench);
    return (await resetRemaining(servers, state, mutations, { ms: 0 })).length === 0;
  }

  /** Sets a bench aside until the bench responds. */
  setAside(bench: AttemptSetup): void {
    this.#setAside.add(bench);
    this.#setup.tell({ kind: 'set-aside', bench: bench.bench ?? '' });
    this.#checkTimer ??= setTimeout(() => this.#checkSetAside(), CHECK_INTERVAL_MS);
    this.wake();
  }

  /** Sets aside the free bench with the given name. */
  setAsideByName(name: string | undefined): void {
    const index = this.#free.findIndex(({ bench }) => bench === name);
    for (const bench of this.#free.splice(index, 1)) this.setAside(bench);
  }

  /** Stops checking benches that were set aside. */
  stopChecking(): void {
    clearTimeout(this.#checkTimer);
    this.#checkTimer = undefined;
  }

  async #checkSetAside(): Promise<void> {
    const results = await Promise.all(
      [...this.#setAside].map(async (bench) => ((await this.isHealthy(bench)) ? [bench] : [])),
    ).catch(() => []);
    const healthyBenches = results.flat();
    if (this.#checkTimer === undefined) return;
    this.#checkTimer =
      this.#setAside.size > healthyBenches.length
        ? setTimeout(() => this.#checkSetAside(), CHECK_INTERVAL_MS)
        : undefined;
    for (const bench of healthyBenches) {
      this.#setAside.delete(bench);
      this.#setup.tell({ kind: 'returned', bench: bench.bench ?? '' });
      this.giveBack(bench);
    }
  }

  /** Ends the current wait for a change. */
  readonly wake = (): void => this.#wake();

  /** Waits until a bench is returned or set aside, or the run is aborted. */
  waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Waits for a free bench when all benches are set aside. Returns false on a timeout or an abort. */
  async waitForBench(): Promise<boolean> {
    const { record, signal } = this.#setup;
    if (signal.aborted) return false;
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      this.wake();
    }, record.patienceMs ?? 0);
    while (this.#free.length === 0 && !isTimedOut && !signal.aborted) await this.waitForChange();
    clearTimeout(timer);
    return this.#free.length > 0;
  }

  async close(): Promise<void> {
    this.stopChecking();
    this.#setup.signal.removeEventListener('abort', this.wake);
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }
}

/**
 * Returns a function that reads the sessions of a bench's baseline. Reads each session once. Reads no session if no
 * measurement needs the baseline.
 */
function createBaselineReader(
  objective: Objective,
  directory: string,
  bench: string | undefined,
  state: () => RunState,
): AttemptSetup['baseline'] {
  const needsSessions = needsBaseline(objective);
  const sessions = new Map<DoneAttempt, Session>();
  return async () => {
    const { baselines } = state();
    for (const attempt of needsSessions ? baselines : []) {
      if (sessions.has(attempt) || attempt.bench !== bench) continue;
      const session = await readAttemptSession(directory, attempt);
      if (session !== undefined) sessions.set(attempt, session);
    }
    return [...sessions.values()];
  };
}
