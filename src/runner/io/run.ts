import { join } from 'node:path';
import { codeOf, makeDirectories } from '../../durable/index.js';
import type { Objective } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import { baselineFailure, toBeRepeated } from '../attempt/causes.js';
import { asksForBaseline } from '../attempt/judge.js';
import { type End, isFinal, reasonToEnd } from '../attempt/stopping.js';
import { openJournal } from '../journal/journal.js';
import type { AttemptRecord } from '../journal/records.js';
import { type DoneAttempt, type InForce, type RunState, withinRoom } from '../journal/run-state.js';
import { type Tried, toPlan, toSet } from '../plan/space.js';
import { strategies } from '../plan/strategies.js';
import { RunError } from '../run-error.js';
import { type EventSource, openSource, readAttemptSession } from './attempt-events.js';
import { beginRun, clearLeftovers, JournaledState, lockRun, resetAll } from './begin-run.js';
import { endOldGuard, openGuard, TOKEN } from './command.js';
import { holdServers } from './hold-servers.js';
import type { OpenSource } from './otlp-receiver.js';
import {
  type AttemptNews,
  type AttemptReport,
  type AttemptSetup,
  runAttempt,
} from './run-attempt.js';
import { awaitServer, type Patience } from './servers.js';
import { shrinkRun } from './shrink-run.js';

/** All that a run needs. */
export interface RunSetup
  extends Omit<AttemptSetup, 'directory' | 'source' | 'guard' | 'baseline'> {
  readonly events?: EventSource;
  /** The run's directory, absolute. */
  readonly out: string;
  /** Whether the directory may hold a run: then it goes on. */
  readonly resume: boolean;
  /** Whether it waits while another run uses the servers. */
  readonly wait: boolean;
}

/** The progress of a run, for a terminal. */
export type RunNews =
  | { readonly kind: 'attempt'; readonly record: AttemptRecord }
  | (AttemptNews & { readonly n: number })
  | { readonly kind: 'measured'; readonly attempt: DoneAttempt }
  /** An attempt is to be repeated, when its servers answer. */
  | {
      readonly kind: 'repeating';
      readonly n: number;
      readonly servers: readonly string[];
      readonly reasons: readonly string[];
    }
  /** Another run uses a server, which is waited for. */
  | { readonly kind: 'in-use'; readonly url: string; readonly since: string }
  | { readonly kind: 'left-over'; readonly inForce: readonly InForce[] }
  | { readonly kind: 'shrinking'; readonly of: number };

interface RunHooks {
  readonly tell: (news: RunNews, state: RunState) => void;
  /** Aborted when the run is not to go on; its reason says why, in a word. */
  readonly signal: AbortSignal;
}

/** The hooks of a run, and what ends it when the injections of a server are stopped: the reason is the server. */
interface OwnHooks extends RunHooks {
  readonly held: AbortController;
}

/** Carries an objective out. Rejects with a RunError when it cannot begin or go on. */
export async function carryOut(setup: RunSetup, hooks: RunHooks): Promise<RunState> {
  const unlock = await lockRun(setup.out);
  try {
    const journal = await openJournal(setup.out);
    try {
      const state = new JournaledState(journal);
      const held = new AbortController();
      const release = await holdServers(setup.servers, {
        wait: setup.wait,
        signal: hooks.signal,
        onWait: (url, since) => hooks.tell({ kind: 'in-use', url, since }, state.current),
        onHeld: (url) => held.abort(url),
      });
      try {
        return await carryOutWith(setup, { ...hooks, held }, state);
      } finally {
        await release();
      }
    } finally {
      await journal.close();
    }
  } finally {
    await unlock();
  }
}

/** Carries an objective out, and ends the source of events after it. */
async function carryOutWith(
  setup: RunSetup,
  hooks: OwnHooks,
  state: JournaledState,
): Promise<RunState> {
  let source: OpenSource | undefined;
  const prefix = `${TOKEN}=${join(setup.out, 'attempts')}/`;
  if (state.current.open !== undefined) await endOldGuard(prefix);
  const guard = openGuard(prefix);
  try {
    source = setup.events && (await openSource(setup.events));
    const directory = join(setup.out, 'attempts');
    const attempts: AttemptSetup = {
      ...{ ...setup, directory, guard, ...(source && { source }) },
      baseline: baselineReader(setup.objective, directory, () => state.current),
    };
    return await new Run(setup, hooks, state, attempts).carryOut();
  } catch (error) {
    // A bug must not leave the system mutated either.
    await resetAll(setup.servers, state.current.inForce);
    throw error;
  } finally {
    guard.close();
    await source?.close();
  }
}

/** Reads the sessions of the baseline, each once, where a check asks for them. */
function baselineReader(
  objective: Objective,
  directory: string,
  state: () => RunState,
): AttemptSetup['baseline'] {
  const isAsked = asksForBaseline(objective);
  const known = new Map<DoneAttempt, Session>();
  return async () => {
    const { baselines } = state();
    for (const one of isAsked ? baselines : []) {
      if (known.has(one)) continue;
      const session = await readAttemptSession(directory, one);
      if (session !== undefined) known.set(one, session);
    }
    return [...known.values()];
  };
}

function makeAttempts(directory: string): void {
  try {
    makeDirectories(directory, 0o700);
  } catch (error) {
    throw new RunError('not-written', directory, codeOf(error));
  }
}

/** So often an attempt is repeated because a server did not answer; then it counts as inconclusive. */
const MOST_REPEATS = 3;

class Run {
  readonly #setup: RunSetup;
  readonly #hooks: OwnHooks;
  /** Aborted when the run is not to go on, for whatever reason. */
  readonly #signal: AbortSignal;
  readonly #state: JournaledState;
  readonly #attempts: AttemptSetup;
  readonly #tried = new WeakMap<DoneAttempt, Tried>();

  constructor(setup: RunSetup, hooks: OwnHooks, state: JournaledState, attempts: AttemptSetup) {
    this.#setup = setup;
    this.#hooks = hooks;
    this.#signal = AbortSignal.any([hooks.signal, hooks.held.signal]);
    this.#state = state;
    this.#attempts = attempts;
  }

  async carryOut(): Promise<RunState> {
    const { directory, servers } = this.#attempts;
    const { end: ended } = this.#state.current;
    // Another process may have ended it just now.
    if (ended !== undefined && isFinal(ended)) return this.#state.current;
    makeAttempts(directory);
    await beginRun(this.#setup, this.#state);
    const { inForce } = this.#state.current;
    if (inForce.length > 0) this.#tell({ kind: 'left-over', inForce });
    const end =
      (await clearLeftovers(directory, servers, this.#state, this.#patience)) ??
      (await this.#baseline()) ??
      (await this.#attemptAll());
    return this.#state.end((await this.#shrinkAfter(end)) ?? end);
  }

  get #patience(): Patience {
    return { ms: this.#setup.record.patienceMs ?? 0, signal: this.#signal };
  }

  /** Runs the command without mutations. @returns why there is no experiment, if there is none */
  async #baseline(): Promise<End | undefined> {
    const { record } = this.#setup;
    const wanted = record.command === undefined ? 0 : (record.baselines ?? 0);
    for (;;) {
      const { baselines } = this.#state.current;
      const failure = baselineFailure(baselines);
      if (failure !== undefined) return { reason: 'baseline', detail: failure };
      if (baselines.length >= wanted) return undefined;
      const interrupted = this.#interrupted();
      if (interrupted !== undefined) return interrupted;
      const end = await this.#attempt({ n: baselines.length + 1, baseline: true, plan: [] });
      if (end !== undefined) return end;
    }
  }

  async #attemptAll(): Promise<End> {
    const { objective, space, record } = this.#setup;
    const { replay } = record;
    const draw = strategies[record.strategy](space, record.seed);
    for (;;) {
      const state = this.#state.current;
      const end = reasonToEnd(objective, state);
      const stopped = this.#interrupted();
      const repeated = end?.reason === 'time' ? undefined : toBeRepeated(state);
      if (repeated !== undefined && stopped === undefined) {
        const { n, repeats: of = n, plan } = repeated;
        const left = await this.#attempt({ n: this.#next(), plan, repeats: of });
        if (left !== undefined) return left;
        continue;
      }
      if (end ?? stopped) return (end ?? stopped) as End;
      const own = state.attempts.filter(({ shrinks }) => shrinks === undefined);
      // A set that an outage kept from being tried is tried again.
      const tried = own.filter(({ result }) => !result.outage).map((one) => this.#triedIn(one));
      const left = await this.#attempt({
        n: this.#next(),
        plan: replay?.plan ?? toPlan(space, draw(tried.length, tried)),
      });
      if (left !== undefined) return left;
    }
  }

  /** The number of the next attempt. */
  #next(): number {
    const { attempts, repeats = [] } = this.#state.current;
    return Math.max(attempts.at(-1)?.n ?? 0, repeats.at(-1)?.n ?? 0) + 1;
  }

  /** What a strategy learns of an attempt. */
  #triedIn(attempt: DoneAttempt): Tried {
    const known = this.#tried.get(attempt);
    if (known !== undefined) return known;
    const margins = attempt.result.measurements.flatMap(({ name, margin }) =>
      margin === undefined ? [] : [[name, margin] as const],
    );
    const set = toSet(this.#setup.space, attempt.plan) ?? [];
    const tried = { set, margins: new Map(margins) };
    this.#tried.set(attempt, tried);
    return tried;
  }

  #interrupted(): End | undefined {
    const { signal, held } = this.#hooks;
    if (signal.aborted) return { reason: 'interrupted', detail: String(signal.reason) };
    return held.signal.aborted ? { reason: 'held', detail: String(held.signal.reason) } : undefined;
  }

  /** A run that is to go on makes its own attempts first: the system may not be judged by now. */
  async #shrinkAfter(end: End): Promise<End | undefined> {
    if (!this.#setup.record.shrink || !isFinal(end)) return undefined;
    return shrinkRun({
      space: this.#setup.space,
      state: this.#state,
      attempt: (plan, of) => {
        return this.#attempt({ n: this.#next(), plan, shrinks: of });
      },
      interrupted: () => this.#interrupted(),
      onBegin: (of) => this.#tell({ kind: 'shrinking', of }),
    });
  }

  /** Makes one attempt, or repeats the one that was interrupted; what it gives ends the run. */
  async #attempt(next: Omit<AttemptRecord, 'step'>): Promise<End | undefined> {
    if (!next.baseline) this.#state.startClock();
    if (this.#state.current.open === undefined) {
      await this.#state.write({ step: 'attempt', ...next });
    }
    const announced = this.#state.current.open as AttemptRecord;
    for (let repeats = 0; ; repeats += 1) {
      this.#tell({ kind: 'attempt', record: announced });
      const report = await runAttempt(this.#attempts, announced, {
        journal: (step) => this.#state.write(step),
        tell: (news) => this.#tell({ ...news, n: announced.n }),
        onHeld: (server) => this.#hooks.held.abort(server),
        signal: this.#signal,
      });
      const isOutage = report.kind === 'measured' && report.result.outage === true;
      const isRepeated =
        isOutage &&
        repeats < MOST_REPEATS &&
        (await this.#serversAnswer(announced, report.result.reasons));
      // An attempt that an interruption kept from being repeated is still open.
      if (isOutage && this.#signal.aborted) return this.#interrupted();
      if (!isRepeated) return this.#conclude(announced, report);
    }
  }

  /** Waits until the servers of a set answer; false where they do not, or nobody wants to wait. */
  async #serversAnswer({ n, plan }: AttemptRecord, reasons: readonly string[]): Promise<boolean> {
    const { servers } = this.#setup;
    const names = [...new Set(plan.map(({ server }) => server))];
    this.#tell({ kind: 'repeating', n, servers: names, reasons });
    const answered = await Promise.all(
      names.map((name) => awaitServer(servers, name, this.#patience)),
    );
    return answered.every(Boolean);
  }

  async #conclude(
    { n, plan, baseline, repeats: isRepeat }: AttemptRecord,
    report: AttemptReport,
  ): Promise<End | undefined> {
    switch (report.kind) {
      case 'measured': {
        const measurements = withinRoom(report.result.measurements, this.#state.current);
        await this.#state.write({ step: 'measured', n, ...report.result, measurements });
        const { attempts, baselines, repeats = [] } = this.#state.current;
        const made = baseline ? baselines : isRepeat ? repeats : attempts;
        const attempt = made.at(-1) as DoneAttempt;
        this.#tell({ kind: 'measured', attempt });
        return undefined;
      }
      case 'interrupted':
        return this.#interrupted() ?? { reason: 'interrupted' };
      case 'stuck': {
        const names = report.stuck.map(({ at, reason }) => `${plan[at]?.name ?? ''}: ${reason}`);
        return { reason: 'reset-failed', detail: names.join('; ') };
      }
      case 'unwritten': {
        const names = report.stuck.map((at) => plan[at]?.name ?? '');
        const left = names.length === 0 ? '' : `; not reset: ${names.join(', ')}`;
        return { reason: 'journal', detail: `${(report.error as Error).message}${left}` };
      }
    }
  }

  #tell(news: RunNews): void {
    this.#hooks.tell(news, this.#state.current);
  }
}
