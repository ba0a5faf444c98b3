import { join } from 'node:path';
import { codeOf, makeDirectories } from '../../durable/index.js';
import { defined } from '../../values/index.js';
import { findNextRepeat, runEndAfterBaselines } from '../attempt/causes.js';
import { createPlanner, type End, isFinal, mayBeLast, reasonToEnd } from '../attempt/stopping.js';
import { openJournal } from '../journal/journal.js';
import type { AttemptRecord, JournalRecord } from '../journal/records.js';
import {
  type ActiveMutation,
  type DoneAttempt,
  findSetAside,
  fitToJournal,
  hasBegun,
  nextNumber,
  type RunState,
} from '../journal/run-state.js';
import { type Plan, toPlan } from '../plan/space.js';
import { RunError } from '../run-error.js';
import { nextShrinking } from '../shrink/next-shrinking.js';
import { runFullAttempt, tearDown } from './around-attempt.js';
import {
  announceRun,
  continueRun,
  endCommands,
  JournaledState,
  lockRun,
  resetAll,
  resetRemaining,
  toResetFailure,
} from './begin-run.js';
import { type Bench, Benches, type BenchStatusChange } from './benches.js';
import { acquireServers, releaseLease } from './hold-servers.js';
import type { AttemptReport, AttemptSetup, AttemptUpdate, CommonSetup } from './run-attempt.js';
import { type RetryTimeout, type Servers, waitForServer } from './servers.js';

/** A run's inputs. */
export interface RunSetup extends CommonSetup {
  /** At least one bench. */
  readonly benches: readonly Bench[];
  /** All benches' servers, and servers that the run may have left mutated, by server name. */
  readonly servers: Servers;
  /** The absolute path of the run's directory. */
  readonly out: string;
  /** True to continue an existing run in the directory. */
  readonly resume: boolean;
  /** True to wait while another run uses the servers. */
  readonly wait: boolean;
}

/** A run's progress, for a terminal. */
export type RunUpdate =
  | { readonly kind: 'attempt'; readonly record: AttemptRecord }
  | (AttemptUpdate & { readonly n: number; readonly bench?: string | undefined })
  | { readonly kind: 'measured'; readonly attempt: DoneAttempt }
  /** An attempt's retry, which starts once the bench's servers respond. */
  | {
      readonly kind: 'repeating';
      readonly n: number;
      readonly bench?: string | undefined;
      readonly servers: readonly string[];
      readonly reasons: readonly string[];
    }
  /** A server in use by another run. This run waits for the server. */
  | { readonly kind: 'in-use'; readonly url: string; readonly since: string }
  | { readonly kind: 'left-over'; readonly activeMutations: readonly ActiveMutation[] }
  | BenchStatusChange;

/** The abort reason after a bug, as opposed to an interruption by the user. */
export const INTERNAL_ERROR = 'internal error';

interface RunHooks {
  readonly tell: (news: RunUpdate, state: RunState) => void;
  /** Aborted when the run must not continue, with a one-word reason. */
  readonly signal: AbortSignal;
}

/**
 * A run's hooks, and the controllers for the run's internal signals. The abort reason for `held` is the server whose
 * injections were stopped.
 */
interface OwnHooks extends RunHooks {
  readonly held: AbortController;
  /** Ends all other attempts when an attempt throws. */
  readonly failed: AbortController;
}

/** Runs an objective. Rejects with a RunError if the run cannot begin or continue. */
export async function executeRun(setup: RunSetup, hooks: RunHooks): Promise<RunState> {
  /** Cleanup functions, called in reverse order. */
  const cleanups: (() => Promise<void>)[] = [];
  try {
    cleanups.push(await lockRun(setup.out));
    const journal = await openJournal(setup.out);
    cleanups.push(() => journal.close());
    const state = new JournaledState(journal);
    const isNew = await announceRun(setup, state);
    // A run that failed to begin leaves its directory free for the next run.
    cleanups.push(async () => {
      if (isNew && !hasBegun(state.current)) await journal.discard();
    });
    const [held, failed] = [new AbortController(), new AbortController()];
    const clients = setup.benches.flatMap(({ servers }) => [...servers.values()]);
    const onWait = (url: string, since: string) =>
      hooks.tell({ kind: 'in-use', url, since }, state.current);
    const onHeld = (url: string) => held.abort(url);
    cleanups.push(
      await acquireServers(clients, { wait: setup.wait, signal: hooks.signal, onWait, onHeld }),
    );
    const signal = AbortSignal.any([hooks.signal, held.signal, failed.signal]);
    const reportNews = (news: BenchStatusChange) => hooks.tell(news, state.current);
    try {
      const benches = await Benches.open({ ...setup, state, signal, tell: reportNews });
      cleanups.push(() => benches.close());
      const run = new Run(setup, { ...hooks, held, failed }, state, benches, signal);
      return await run.executeRun(isNew);
    } catch (error) {
      // Even after a bug, the system must not stay mutated.
      await resetAll(setup.servers, state.current.activeMutations);
      throw error;
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** Maximum number of retries of an attempt after an outage or a failed reset. */
const MAX_REPEATS = 1;

/** The next attempt to make. */
type NextAttempt = Omit<AttemptRecord, 'step'>;

class Run {
  readonly #setup: RunSetup;
  readonly #hooks: OwnHooks;
  /** Aborted when the run must stop, whatever the reason. */
  readonly #signal: AbortSignal;
  readonly #state: JournaledState;
  readonly #benches: Benches;
  readonly #directory: string;
  readonly #attemptsInProgress = new Set<NextAttempt>();
  readonly #nextSet: ReturnType<typeof createPlanner>;

  constructor(
    setup: RunSetup,
    hooks: OwnHooks,
    state: JournaledState,
    benches: Benches,
    signal: AbortSignal,
  ) {
    this.#setup = setup;
    this.#hooks = hooks;
    this.#signal = signal;
    this.#state = state;
    this.#benches = benches;
    this.#directory = join(setup.out, 'attempts');
    this.#nextSet = createPlanner(setup.space, setup.record);
  }

  async executeRun(isNew: boolean): Promise<RunState> {
    const { end: previousEnd } = this.#state.current;
    // Another process may have ended the run in the meantime.
    if (previousEnd !== undefined && isFinal(previousEnd)) return this.#state.current;
    try {
      makeDirectories(this.#directory, 0o700);
    } catch (error) {
      throw new RunError('not-written', this.#directory, codeOf(error));
    }
    if (!isNew) await continueRun(this.#setup, this.#state);
    const { activeMutations } = this.#state.current;
    if (activeMutations.length > 0) this.#tell({ kind: 'left-over', activeMutations });
    const end =
      (await this.#cleanUp()) ?? ((await this.#runAll((bench) => this.#next(bench))) as End);
    const finalEnd = (await this.#shrinkAfter(end)) ?? end;
    return this.#state.end((await this.#resetRemaining(finalEnd)) ?? finalEnd);
  }

  get #patience(): RetryTimeout {
    return { ms: this.#benches.patienceMs, signal: this.#signal };
  }

  /** Cleans up after a killed run. @returns the run's end if the run cannot continue */
  async #cleanUp(): Promise<End | undefined> {
    const { servers } = this.#setup;
    await endCommands(this.#directory, this.#state.current);
    const { activeMutations } = this.#state.current;
    const ownMutations = activeMutations.filter(({ bench }) => this.#benches.has(bench));
    const otherMutations = activeMutations.filter(({ bench }) => !this.#benches.has(bench));
    await resetRemaining(servers, this.#state, otherMutations, { ms: 0 });
    await this.#releaseUnused();
    const failedResets = await resetRemaining(servers, this.#state, ownMutations, this.#patience);
    const teardownFailure = await this.#tearDownRemaining();
    if (this.#benches.isSingle && failedResets.length > 0) return toResetFailure(failedResets);
    for (const name of new Set(failedResets.map(({ bench }) => bench)))
      this.#benches.setAsideByName(name);
    return teardownFailure;
  }

  /**
   * Tears down the setups left by a killed run or a failed teardown.
   *
   * @returns the run's end if the run cannot continue
   */
  async #tearDownRemaining(): Promise<End | undefined> {
    for (const preparedAttempt of this.#state.current.preparedAttempts ?? []) {
      const bench = this.#benches.free.find(
        (freeBench) => freeBench.bench === preparedAttempt.bench,
      );
      const detail = bench && (await tearDown(bench, preparedAttempt, { journal: this.#journal }));
      if (detail !== undefined) return { reason: 'teardown-failed', detail };
    }
    return undefined;
  }

  readonly #journal = (step: JournalRecord) => this.#state.write(step);

  /** Releases the leases on servers that the run no longer uses and that have no mutators left mutated. */
  async #releaseUnused(): Promise<void> {
    const { servers, benches } = this.#setup;
    const usedUrls = new Set(
      benches.flatMap((bench) => [...bench.servers.values()].map(({ url }) => url)),
    );
    const mutatedServers = new Set(this.#state.current.activeMutations.map(({ server }) => server));
    const unusedServers = [...servers].filter(
      ([name, { url }]) => !usedUrls.has(url) && !mutatedServers.has(name),
    );
    // Errors are ignored, because an unresponsive server's lease expires.
    await Promise.allSettled(unusedServers.map(([, client]) => releaseLease(client)));
  }

  /**
   * Resets mutators left mutated on benches that were set aside or are no longer used.
   *
   * @returns the run's end if a reset failed
   */
  async #resetRemaining({ reason }: End): Promise<End | undefined> {
    this.#benches.stopChecking();
    const { activeMutations } = this.#state.current;
    if (activeMutations.length === 0 || reason === 'reset-failed' || reason === 'journal')
      return undefined;
    const failedResets = await resetRemaining(this.#setup.servers, this.#state, activeMutations, {
      ms: 0,
    });
    await this.#releaseUnused();
    return toResetFailure(failedResets);
  }

  /**
   * Makes attempts, one at a time on each bench.
   *
   * @param next returns a bench's next attempt, or the run's end; undefined while the choice depends on attempts in
   * progress, or if no attempt remains
   * @returns the run's end; undefined if no attempt remains
   */
  async #runAll(
    next: (bench: AttemptSetup) => NextAttempt | End | undefined,
  ): Promise<End | undefined> {
    let end: End | undefined;
    let failure: { readonly error: unknown } | undefined;
    const runningAttempts = this.#attemptsInProgress;
    // The steps after an attempt are synchronous, so the attempt's result is known before the bench is free.
    const run = async (bench: AttemptSetup, attempt: NextAttempt): Promise<void> => {
      runningAttempts.add(attempt);
      const result = await this.#runAttempt(bench, attempt).catch((error: unknown) => {
        failure ??= { error };
        this.#hooks.failed.abort();
        return undefined;
      });
      runningAttempts.delete(attempt);
      if (result === 'aside') this.#benches.setAside(bench);
      else {
        end ??= result;
        this.#benches.giveBack(bench);
      }
    };
    for (;;) {
      const bench = (end ?? failure) === undefined ? this.#benches.take() : undefined;
      if (bench !== undefined) {
        await this.#state.waitForWrites();
        const attempt = next(bench);
        if (attempt !== undefined && !('reason' in attempt)) {
          void run(bench, attempt);
          continue;
        }
        this.#benches.giveBack(bench);
        end = attempt;
        if (end === undefined && runningAttempts.size === 0) return undefined;
      }
      if (runningAttempts.size > 0) await this.#benches.waitForChange();
      else if (failure !== undefined) throw failure.error;
      else if (end !== undefined) return end;
      else if (!(await this.#benches.waitForBench())) {
        end = this.#interruption() ?? { reason: 'no-bench' };
      }
    }
  }

  /** Returns a bench's next attempt. Baselines come first, then interrupted attempts, repetitions and new sets. */
  #next(bench: AttemptSetup): NextAttempt | End | undefined {
    const { objective, record } = this.#setup;
    const state = this.#state.current;
    const interruption = this.#interruption();
    const baselineFailure = runEndAfterBaselines(state.baselines, record);
    if (baselineFailure !== undefined) return baselineFailure;
    const baseline = this.#nextBaseline(bench);
    if (baseline !== undefined) return interruption ?? baseline;
    const end = reasonToEnd(objective, state);
    const repeat = end?.reason === 'time' ? undefined : findNextRepeat(state);
    if (interruption !== undefined || (end !== undefined && repeat === undefined)) {
      return end ?? interruption;
    }
    const interruptedAttempt = this.#findInterrupted();
    if (interruptedAttempt !== undefined) return interruptedAttempt;
    const n = nextNumber(state);
    if (repeat !== undefined) {
      return { n, plan: repeat.plan, repeats: repeat.repeats ?? repeat.n };
    }
    if (mayBeLast(objective, state)) return undefined;
    const plan = this.#nextPlan(state);
    return plan === undefined ? { reason: 'set-aside' } : { n, plan };
  }

  /** Returns the next attempt's set; undefined if all sets are set aside. */
  #nextPlan(state: RunState): Plan | undefined {
    const { replay } = this.#setup.record;
    if (replay !== undefined) return findSetAside(state).length > 0 ? undefined : replay.plan;
    const set = this.#nextSet(state);
    return set && toPlan(this.#setup.space, set);
  }

  /** Returns an attempt left open by an interruption, or by a bench that was set aside. */
  #findInterrupted(): AttemptRecord | undefined {
    const runningAttempts = [...this.#attemptsInProgress]
      .filter((attempt) => !attempt.baseline)
      .map(({ n }) => n);
    return this.#state.current.openAttempts.find(
      (attempt) => !attempt.baseline && !runningAttempts.includes(attempt.n),
    );
  }

  /** Returns the next attempt of a bench's baseline; undefined once the baseline is complete. */
  #nextBaseline({ bench }: AttemptSetup): NextAttempt | undefined {
    const { record } = this.#setup;
    const { baselines, openAttempts } = this.#state.current;
    const hasEvents = record.command !== undefined || record.polls !== undefined;
    const attempt = hasEvents ? (record.baselines ?? 0) : 0;
    if (baselines.filter((baseline) => baseline.bench === bench).length >= attempt)
      return undefined;
    const openBaselines = openAttempts.filter((attempt) => attempt.baseline);
    const n = Math.max(0, ...[...baselines, ...openBaselines].map((baseline) => baseline.n)) + 1;
    return (
      openBaselines.find((baseline) => baseline.bench === bench) ?? { n, baseline: true, plan: [] }
    );
  }

  #interruption(): End | undefined {
    const { signal, held } = this.#hooks;
    if (signal.aborted) {
      if (signal.reason === INTERNAL_ERROR) return { reason: 'error' };
      return { reason: 'interrupted', detail: String(signal.reason) };
    }
    return held.signal.aborted ? { reason: 'held', detail: String(held.signal.reason) } : undefined;
  }

  /**
   * Shrinks failing sets after the run's own attempts. A run that can be resumed does not shrink, because further
   * attempts may follow.
   */
  async #shrinkAfter(end: End): Promise<End | undefined> {
    if (!this.#setup.record.shrink || !isFinal(end)) return undefined;
    for (;;) {
      const end = await this.#runAll((bench) => this.#nextTry(bench));
      const next = end ?? this.#shrinking();
      if (next === undefined || 'reason' in next) return next;
      if ('step' in next) await this.#state.write(next);
    }
  }

  #shrinking() {
    return nextShrinking(this.#setup.space, this.#state.current);
  }

  /**
   * Returns the next shrinking attempt. At most as many benches try a set in parallel as the set needs consecutive
   * tries.
   */
  #nextTry(bench: AttemptSetup): NextAttempt | End | undefined {
    const baseline = this.#nextBaseline(bench);
    if (baseline !== undefined) return this.#interruption() ?? baseline;
    const interruptedAttempt = this.#findInterrupted();
    const next = interruptedAttempt ?? this.#shrinking();
    if (next === undefined || !('times' in next)) return interruptedAttempt;
    const { plan, shrinks, times } = next;
    if (
      this.#state.current.openAttempts.filter((attempt) => attempt.shrinks === shrinks).length >=
      times
    )
      return undefined;
    return this.#interruption() ?? { n: nextNumber(this.#state.current), plan, shrinks };
  }

  /**
   * Makes an attempt, and announces the attempt first unless it was already announced on this bench.
   *
   * @returns the run's end, or `aside` if the bench must be set aside
   */
  async #runAttempt(bench: AttemptSetup, next: NextAttempt): Promise<End | 'aside' | undefined> {
    const { bench: name } = bench;
    if (!next.baseline) this.#state.startClock();
    if (!('step' in next) || next.bench !== name) {
      const step = { step: 'attempt' as const, ...next };
      await this.#state.write({ ...step, ...defined({ bench: name }) });
    }
    const attempt = this.#state.current.openAttempts.find(
      (attempt) => attempt.n === next.n && attempt.bench === name,
    );
    return this.#runUntilFinal(bench, attempt as AttemptRecord);
  }

  /**
   * Makes an attempt, and retries it after an outage.
   *
   * @returns the run's end, or `aside` if the bench does not respond
   */
  async #runUntilFinal(
    bench: AttemptSetup,
    attempt: AttemptRecord,
  ): Promise<End | 'aside' | undefined> {
    for (let repeats = 0; ; repeats += 1) {
      this.#tell({ kind: 'attempt', record: attempt });
      const report = await runFullAttempt(bench, attempt, {
        journal: this.#journal,
        tell: (news) => this.#tell({ ...news, n: attempt.n, bench: bench.bench }),
        onHeld: (server) => this.#hooks.held.abort(server),
        signal: this.#signal,
      });
      const { teardownFailure } = report;
      if (teardownFailure !== undefined) {
        const end = await this.#conclude(attempt, report);
        if (end !== undefined && end.reason !== 'interrupted') return end;
        return { reason: 'teardown-failed', detail: teardownFailure };
      }
      const isOutage = report.kind === 'measured' && report.result.outage === true;
      const needsCheck = isOutage || report.kind === 'stuck';
      if (needsCheck && !this.#benches.isSingle && !this.#signal.aborted) {
        if (!(await this.#benches.isHealthy(bench))) return 'aside';
        if (report.kind === 'stuck') {
          if (repeats < MAX_REPEATS) continue;
          return 'aside';
        }
      }
      if (!isOutage) return this.#conclude(attempt, report);
      const names = [...new Set(attempt.plan.map(({ server }) => server))];
      const { reasons } = report.result;
      const isLast = repeats === MAX_REPEATS;
      if (!isLast) {
        this.#tell({
          ...{ kind: 'repeating', n: attempt.n, bench: bench.bench },
          servers: names,
          reasons,
        });
      }
      const hasAnswered = await this.#waitForServers(bench, names);
      // An attempt interrupted before its retry is still open.
      if (this.#signal.aborted) return this.#interruption();
      if (hasAnswered && !isLast) continue;
      const result = { ...report.result, ...(hasAnswered && { aside: true }) };
      return this.#conclude(attempt, { ...report, result });
    }
  }

  /** Waits until servers respond. Returns false after the timeout or if the user stops waiting. */
  async #waitForServers({ servers }: AttemptSetup, names: readonly string[]): Promise<boolean> {
    const results = await Promise.all(
      names.map((name) => waitForServer(servers, name, this.#patience)),
    );
    return results.every(Boolean);
  }

  async #conclude(
    { n, plan, baseline, bench, repeats: repeatOf }: AttemptRecord,
    report: AttemptReport,
  ): Promise<End | undefined> {
    switch (report.kind) {
      case 'measured': {
        const measurements = fitToJournal(report.result.measurements, this.#state.current);
        const result = { ...defined({ bench }), ...report.result, measurements };
        await this.#state.write({ step: 'measured', n, ...result });
        const { attempts, baselines, repeats = [] } = this.#state.current;
        const list = baseline ? baselines : repeatOf ? repeats : attempts;
        const attempt = list.findLast((attempt) => attempt.n === n) as DoneAttempt;
        this.#tell({ kind: 'measured', attempt });
        return undefined;
      }
      case 'interrupted':
        return this.#interruption() ?? { reason: 'interrupted' };
      case 'stuck': {
        const names = report.failedResets.map(
          ({ at, reason }) => `${plan[at]?.name ?? ''}: ${reason}`,
        );
        return { reason: 'reset-failed', detail: names.join('; ') };
      }
      case 'unwritten': {
        const names = report.stuck.map((position) => plan[position]?.name ?? '');
        const suffix = names.length === 0 ? '' : `; not reset: ${names.join(', ')}`;
        return { reason: 'journal', detail: `${(report.error as Error).message}${suffix}` };
      }
    }
  }

  #tell(news: RunUpdate): void {
    this.#hooks.tell(news, this.#state.current);
  }
}
