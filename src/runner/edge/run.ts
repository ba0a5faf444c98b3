import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LockError, lockDirectory, makeDirectory } from '../../durable/index.js';
import { type Journal, openJournal } from '../journal/journal.js';
import {
  type AttemptRecord,
  type EndReason,
  type EndRecord,
  type JournalRecord,
  type RunRecord,
  type Step,
  VERSION,
} from '../journal/records.js';
import { hasPassed } from '../loop/outcome.js';
import {
  applyRecord,
  type DoneAttempt,
  emptyRun,
  type InForce,
  type RunState,
} from '../loop/run-state.js';
import { endOf } from '../loop/stopping.js';
import { type Plan, toPlan, toSet } from '../plan/plan.js';
import type { Space } from '../plan/space.js';
import { strategies } from '../plan/strategies.js';
import { RunError } from '../run-error.js';
import { SHRINK_LIMITS, type Shrunk, shrink } from '../shrink/shrink.js';
import { type EventSource, openSource } from './event-source.js';
import { type Guard, startGuard } from './guard.js';
import type { OpenSource } from './open-source.js';
import {
  type AttemptNews,
  type AttemptReport,
  type AttemptSetup,
  attemptFiles,
  runAttempt,
  TOKEN,
} from './run-attempt.js';
import { reset } from './servers.js';
import { endStrays } from './strays.js';

/** All that a run needs. */
export interface RunSetup
  extends Omit<AttemptSetup, 'run' | 'guard' | 'directory' | 'seed' | 'preconditionOf' | 'source'> {
  readonly events?: EventSource;
  /** The run's directory, absolute. */
  readonly out: string;
  /** What the journal begins with; of a resumed run, what it has begun with. */
  readonly record: RunRecord;
  readonly resume: boolean;
  readonly space: Space;
}

/** What goes on in a run, for a terminal. */
export type RunNews =
  | { readonly kind: 'attempt'; readonly record: AttemptRecord }
  | (AttemptNews & { readonly n: number })
  | { readonly kind: 'measured'; readonly attempt: DoneAttempt }
  | { readonly kind: 'left-over'; readonly inForce: readonly InForce[] }
  | { readonly kind: 'shrinking'; readonly of: number };

export interface RunHooks {
  readonly tell: (news: RunNews, state: RunState) => void;
  /** Aborted when the run is not to go on; its reason says why, in a word. */
  readonly signal: AbortSignal;
}

/** Carries an objective out. Rejects with a RunError when it cannot begin or go on. */
export async function carryOut(setup: RunSetup, hooks: RunHooks): Promise<RunState> {
  const unlock = await lock(setup.out);
  try {
    const journal = await openJournal(setup.out);
    try {
      return await new Run(setup, hooks, journal).carryOut();
    } finally {
      await journal.close();
    }
  } finally {
    await unlock();
  }
}

async function lock(directory: string): Promise<() => Promise<void>> {
  try {
    await makeDirectory(directory);
    const { unlock, unusable } = await lockDirectory(directory, 'run');
    if (unusable !== undefined) throw unusable;
    return unlock;
  } catch (error) {
    if (error instanceof LockError) {
      const code = error.code === 'not-usable' ? 'not-written' : error.code;
      throw new RunError(code, directory, error.detail);
    }
    if (error instanceof Error && 'code' in error) {
      throw new RunError('not-written', directory, String(error.code));
    }
    throw error;
  }
}

/** Why a loop of attempts is left. */
type Left = Pick<EndRecord, 'reason' | 'detail'>;

class Run {
  readonly #setup: RunSetup;
  readonly #hooks: RunHooks;
  readonly #journal: Journal;
  readonly #guard: Guard;
  #attempts: AttemptSetup;
  #source: OpenSource | undefined;
  #state: RunState = emptyRun;
  /** The clock when the attempts of this process began, and what had passed by then. */
  #begun: { readonly at: number; readonly elapsed: number } | undefined;

  constructor(setup: RunSetup, hooks: RunHooks, journal: Journal) {
    this.#setup = setup;
    this.#hooks = hooks;
    this.#journal = journal;
    this.#guard = startGuard();
    const { space, record } = setup;
    this.#attempts = {
      ...setup,
      run: record.id,
      seed: record.seed,
      directory: join(setup.out, 'attempts'),
      guard: this.#guard,
      preconditionOf: ({ server, id }) =>
        space.precondition ??
        space.mutators.find((one) => one.server === server && one.id === id)?.precondition,
    };
  }

  async carryOut(): Promise<RunState> {
    const { records } = this.#journal;
    for (const record of records) this.#state = applyRecord(this.#state, record);
    try {
      await this.#listen();
      const left = await this.#begin();
      const reason = left ?? (await this.#attemptAll());
      const shrinkEnd = reason.reason === 'interrupted' ? undefined : await this.#shrinkAll(reason);
      return await this.#end(shrinkEnd ?? reason);
    } catch (error) {
      // A bug must not leave the system mutated either.
      for (const { server, id } of this.#state.inForce) {
        await reset(this.#setup.servers, server, id, true).catch(() => {});
      }
      throw error;
    } finally {
      this.#guard.close();
      await this.#source?.close();
    }
  }

  async #listen(): Promise<void> {
    const { events } = this.#setup;
    if (events === undefined) return;
    this.#source = await openSource(events);
    this.#attempts = { ...this.#attempts, source: this.#source };
  }

  async #begin(): Promise<Left | undefined> {
    const { out, record, resume } = this.#setup;
    await mkdir(this.#attempts.directory, { recursive: true, mode: 0o700 });
    if (!resume) {
      if (this.#journal.records.length > 0) throw new RunError('holds-run', out);
      await this.#write(record);
      return undefined;
    }
    const { run, end } = this.#state;
    if (run === undefined) throw new RunError('no-run', out);
    if (run.version !== VERSION) throw new RunError('other-version', out, `${run.version}`);
    if (end !== undefined && end.reason !== 'interrupted' && end.reason !== 'journal') {
      if (end.reason !== 'reset-failed') throw new RunError('ended', out, end.reason);
    }
    await this.#write({ step: 'resumed' });
    return this.#cleanUp();
  }

  /** Ends and resets what a run that was killed has left. */
  async #cleanUp(): Promise<Left | undefined> {
    const { open, inForce } = this.#state;
    if (open !== undefined) {
      const { events } = attemptFiles(this.#attempts.directory, open.n);
      await endStrays(TOKEN, events);
    }
    if (inForce.length === 0) return undefined;
    this.#tell({ kind: 'left-over', inForce });
    for (const { server, id, name, n, at } of inForce) {
      const failed = await reset(this.#setup.servers, server, id, true);
      await this.#write({ step: 'reset', n, at, ...(failed !== undefined && { failed }) });
      if (failed !== undefined) return { reason: 'reset-failed', detail: `${name}: ${failed}` };
    }
    return undefined;
  }

  async #attemptAll(): Promise<Left> {
    const { objective, space, record } = this.#setup;
    const draw = strategies[record.strategy](space, record.seed);
    for (;;) {
      const end = endOf(objective, this.#state);
      if (end !== undefined) return end;
      const interrupted = this.#interrupted();
      if (interrupted !== undefined) return interrupted;
      const own = this.#state.attempts.filter(({ shrinks }) => shrinks === undefined);
      const plan = toPlan(space, draw(own.length));
      const left = await this.#attempt(own.length + 1, plan, undefined);
      if (left !== undefined) return left;
    }
  }

  #interrupted(): Left | undefined {
    const { signal } = this.#hooks;
    return signal.aborted ? { reason: 'interrupted', detail: String(signal.reason) } : undefined;
  }

  /** Makes one attempt; what it gives ends the run. */
  async #attempt(n: number, plan: Plan, shrinks: number | undefined): Promise<Left | undefined> {
    this.#begun ??= { at: performance.now(), elapsed: this.#state.elapsed };
    const open = this.#state.open;
    if (open === undefined) {
      await this.#write({ step: 'attempt', n, plan, ...(shrinks !== undefined && { shrinks }) });
    }
    const announced = this.#state.open as AttemptRecord;
    this.#tell({ kind: 'attempt', record: announced });
    const report = await runAttempt(this.#attempts, announced.n, announced.plan, {
      journal: (step) => this.#write(step),
      tell: (news) => this.#tell({ ...news, n: announced.n }),
      signal: this.#hooks.signal,
    });
    return this.#conclude(announced, report);
  }

  async #conclude({ n, plan }: AttemptRecord, report: AttemptReport): Promise<Left | undefined> {
    switch (report.kind) {
      case 'measured': {
        const { kind: _, ...result } = report;
        await this.#write({ step: 'measured', n, ...result });
        const attempt = this.#state.attempts.at(-1) as DoneAttempt;
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

  /** Shrinks a failing set of each measurement that failed. */
  async #shrinkAll({ reason }: Left): Promise<Left | undefined> {
    const ended: readonly EndReason[] = ['reset-failed', 'journal', 'interrupted'];
    if (!this.#setup.record.shrink || ended.includes(reason)) return undefined;
    for (const attempt of attemptsToShrink(this.#state)) {
      if (this.#state.shrunk.some(({ of }) => of === attempt.n)) continue;
      const left = await this.#shrink(attempt);
      if (left !== undefined) return left;
    }
    return undefined;
  }

  async #shrink(failed: DoneAttempt): Promise<Left | undefined> {
    const { space } = this.#setup;
    const set = toSet(space, failed.plan);
    if (set === undefined) return undefined;
    this.#tell({ kind: 'shrinking', of: failed.n });
    const names = failedIn(failed);
    const shrinking = shrink(space, set, SHRINK_LIMITS);
    let asked = shrinking.next();
    const answer = (fails: boolean) => {
      asked = shrinking.next(fails);
    };
    // What was asked before an interruption is known.
    for (const done of this.#state.attempts) {
      if (done.shrinks === failed.n) answer(fails(done, names));
    }
    while (!asked.done) {
      const interrupted = this.#interrupted();
      if (interrupted !== undefined) return interrupted;
      const n = (this.#state.attempts.at(-1)?.n ?? 0) + 1;
      const left = await this.#attempt(n, toPlan(space, asked.value), failed.n);
      if (left !== undefined) return left;
      answer(fails(this.#state.attempts.at(-1) as DoneAttempt, names));
    }
    await this.#writeShrunk(failed.n, asked.value);
    return undefined;
  }

  async #writeShrunk(of: number, shrunk: Shrunk): Promise<void> {
    const { set, before, ...rest } = shrunk;
    await this.#write({
      step: 'shrunk',
      of,
      plan: toPlan(this.#setup.space, set),
      before,
      ...rest,
    });
  }

  async #end(left: Left): Promise<RunState> {
    try {
      await this.#write({ step: 'end', ...left });
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      const end: EndRecord = { step: 'end', ...left };
      this.#state = { ...this.#state, end };
    }
    return this.#state;
  }

  #elapsed(): number {
    if (this.#begun === undefined) return this.#state.elapsed;
    return Math.round(this.#begun.elapsed + performance.now() - this.#begun.at);
  }

  async #write(step: Step): Promise<void> {
    const record: JournalRecord = { ...step, time: Date.now(), elapsed: this.#elapsed() };
    await this.#journal.add(record);
    this.#state = applyRecord(this.#state, record);
  }

  #tell(news: RunNews): void {
    this.#hooks.tell(news, this.#state);
  }
}

/** The measurements that did not pass in an attempt. */
export function failedIn({ result }: DoneAttempt): readonly string[] {
  return result.measurements.filter((one) => hasPassed(one) === false).map(({ name }) => name);
}

/** Whether an attempt failed for one of the measurements. */
function fails(attempt: DoneAttempt, names: readonly string[]): boolean {
  return failedIn(attempt).some((name) => names.includes(name));
}

/** For each measurement that failed its smallest failing set, the first one of these. */
export function attemptsToShrink({ attempts }: Pick<RunState, 'attempts'>): readonly DoneAttempt[] {
  const failed = attempts
    .filter(({ shrinks, result }) => shrinks === undefined && result.outcome === 'failed')
    .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n);
  const covered = new Set<string>();
  return failed.filter((attempt) => {
    const names = failedIn(attempt).filter((name) => !covered.has(name));
    for (const name of names) covered.add(name);
    return names.length > 0;
  });
}
