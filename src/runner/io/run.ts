import { join } from 'node:path';
import { codeOf, makeDirectories } from '../../durable/index.js';
import { defined } from '../../values/index.js';
import { baselineEnd, toBeRepeated } from '../attempt/causes.js';
import { type End, isFinal, mayBeLast, planner, reasonToEnd } from '../attempt/stopping.js';
import { openJournal } from '../journal/journal.js';
import type { AttemptRecord, JournalRecord } from '../journal/records.js';
import {
  asideIn,
  type DoneAttempt,
  hasBegun,
  type InForce,
  nextNumber,
  type RunState,
  withinRoom,
} from '../journal/run-state.js';
import { type Plan, toPlan } from '../plan/space.js';
import { RunError } from '../run-error.js';
import { nextShrinking } from '../shrink/next-shrinking.js';
import { runSurroundedAttempt, tearDown } from './around-attempt.js';
import {
  announceRun,
  continueRun,
  endCommandsOf,
  JournaledState,
  lockRun,
  notReset,
  resetAll,
  resetLeft,
} from './begin-run.js';
import { type Bench, Benches, type BenchNews } from './benches.js';
import { giveUpLease, holdServers } from './hold-servers.js';
import type { AttemptNews, AttemptReport, AttemptSetup, CommonSetup } from './run-attempt.js';
import { awaitServer, type Patience, type Servers } from './servers.js';

/** The inputs of a run. */
export interface RunSetup extends CommonSetup {
  /** At least one. */
  readonly benches: readonly Bench[];
  /** Those of all benches, and those where the run may have left something mutated, by their own names. */
  readonly servers: Servers;
  /** The run's directory, absolute. */
  readonly out: string;
  /** True if the directory may hold a run, which is then continued. */
  readonly resume: boolean;
  /** True to wait while another run uses the servers. */
  readonly wait: boolean;
}

/** The progress of a run, for a terminal. */
export type RunNews =
  | { readonly kind: 'attempt'; readonly record: AttemptRecord }
  | (AttemptNews & { readonly n: number; readonly bench?: string | undefined })
  | { readonly kind: 'measured'; readonly attempt: DoneAttempt }
  /** An attempt will be repeated when its servers respond. */
  | {
      readonly kind: 'repeating';
      readonly n: number;
      readonly bench?: string | undefined;
      readonly servers: readonly string[];
      readonly reasons: readonly string[];
    }
  /** Another run is using a server, and this one waits for it. */
  | { readonly kind: 'in-use'; readonly url: string; readonly since: string }
  | { readonly kind: 'left-over'; readonly inForce: readonly InForce[] }
  | BenchNews;

/** The reason of a signal that was aborted by a bug: nobody has interrupted the run. */
export const INTERNAL_ERROR = 'internal error';

interface RunHooks {
  readonly tell: (news: RunNews, state: RunState) => void;
  /** Aborted when the run must not continue; its reason is a word. */
  readonly signal: AbortSignal;
}

/**
 * The hooks of a run, and the signal that aborts it when the injections of a server are stopped: the reason is the
 * server.
 */
interface OwnHooks extends RunHooks {
  readonly held: AbortController;
  /** Ends the other attempts when one has thrown. */
  readonly broken: AbortController;
}

/** Runs an objective. Rejects with a RunError if it cannot begin or continue. */
export async function carryOut(setup: RunSetup, hooks: RunHooks): Promise<RunState> {
  /** Ends the parts that were begun, in reverse order. */
  const ends: (() => Promise<void>)[] = [];
  try {
    ends.push(await lockRun(setup.out));
    const journal = await openJournal(setup.out);
    ends.push(() => journal.close());
    const state = new JournaledState(journal);
    const isNew = await announceRun(setup, state);
    // A run that could not begin leaves its directory free for the next.
    ends.push(async () => {
      if (isNew && !hasBegun(state.current)) await journal.discard();
    });
    const [held, broken] = [new AbortController(), new AbortController()];
    const used = setup.benches.flatMap(({ servers }) => [...servers.values()]);
    const onWait = (url: string, since: string) =>
      hooks.tell({ kind: 'in-use', url, since }, state.current);
    const onHeld = (url: string) => held.abort(url);
    ends.push(await holdServers(used, { wait: setup.wait, signal: hooks.signal, onWait, onHeld }));
    const signal = AbortSignal.any([hooks.signal, held.signal, broken.signal]);
    const tell = (news: BenchNews) => hooks.tell(news, state.current);
    try {
      const benches = await Benches.open({ ...setup, state, signal, tell });
      ends.push(() => benches.close());
      const run = new Run(setup, { ...hooks, held, broken }, state, benches, signal);
      return await run.carryOut(isNew);
    } catch (error) {
      // Even a bug must not leave the system mutated.
      await resetAll(setup.servers, state.current.inForce);
      throw error;
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Maximum number of repetitions of an attempt whose injections got no answer; then its set is set aside. */
const MOST_REPEATS = 1;

/** An attempt to make. */
type Wanted = Omit<AttemptRecord, 'step'>;

class Run {
  readonly #setup: RunSetup;
  readonly #hooks: OwnHooks;
  /** Aborted when the run must not continue, for any reason. */
  readonly #signal: AbortSignal;
  readonly #state: JournaledState;
  readonly #benches: Benches;
  readonly #directory: string;
  /** The attempts in progress. */
  readonly #running = new Set<Wanted>();
  readonly #nextSet: ReturnType<typeof planner>;

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
    this.#nextSet = planner(setup.space, setup.record);
  }

  async carryOut(isNew: boolean): Promise<RunState> {
    const { end: ended } = this.#state.current;
    // Another process may have ended it just now.
    if (ended !== undefined && isFinal(ended)) return this.#state.current;
    try {
      makeDirectories(this.#directory, 0o700);
    } catch (error) {
      throw new RunError('not-written', this.#directory, codeOf(error));
    }
    if (!isNew) await continueRun(this.#setup, this.#state);
    const { inForce } = this.#state.current;
    if (inForce.length > 0) this.#tell({ kind: 'left-over', inForce });
    const end = (await this.#clear()) ?? ((await this.#makeAll((one) => this.#next(one))) as End);
    const last = (await this.#shrinkAfter(end)) ?? end;
    return this.#state.end((await this.#resetAtLast(last)) ?? last);
  }

  get #patience(): Patience {
    return { ms: this.#benches.patienceMs, signal: this.#signal };
  }

  /** Ends and resets the remains of a killed run. @returns the reason if the run cannot continue */
  async #clear(): Promise<End | undefined> {
    const { servers } = this.#setup;
    await endCommandsOf(this.#directory, this.#state.current);
    const { inForce } = this.#state.current;
    const own = inForce.filter(({ bench }) => this.#benches.has(bench));
    const others = inForce.filter(({ bench }) => !this.#benches.has(bench));
    await resetLeft(servers, this.#state, others, { ms: 0 });
    await this.#giveUpOthers();
    const left = await resetLeft(servers, this.#state, own, this.#patience);
    const notTornDown = await this.#tearDownLeft();
    if (this.#benches.isOne && left.length > 0) return notReset(left);
    for (const name of new Set(left.map(({ bench }) => bench))) this.#benches.setAsideNamed(name);
    return notTornDown;
  }

  /**
   * Tears down the setups of a killed run, and those whose teardown failed. @returns the reason if the run cannot
   * continue
   */
  async #tearDownLeft(): Promise<End | undefined> {
    for (const left of this.#state.current.setUp ?? []) {
      const bench = this.#benches.free.find((one) => one.bench === left.bench);
      const detail = bench && (await tearDown(bench, left, { journal: this.#journal }));
      if (detail !== undefined) return { reason: 'teardown-failed', detail };
    }
    return undefined;
  }

  readonly #journal = (step: JournalRecord) => this.#state.write(step);

  /** Releases the leases of servers that the run no longer uses, if nothing is left mutated there. */
  async #giveUpOthers(): Promise<void> {
    const { servers, benches } = this.#setup;
    const used = new Set(
      benches.flatMap((bench) => [...bench.servers.values()].map(({ url }) => url)),
    );
    const mutated = new Set(this.#state.current.inForce.map(({ server }) => server));
    const others = [...servers].filter(([name, { url }]) => !used.has(url) && !mutated.has(name));
    // A missing server gives no lease.
    await Promise.allSettled(others.map(([, client]) => giveUpLease(client)));
  }

  /** Resets benches that were set aside or are no longer used, and may still be mutated. */
  async #resetAtLast({ reason }: End): Promise<End | undefined> {
    this.#benches.stopLooking();
    const { inForce } = this.#state.current;
    if (inForce.length === 0 || reason === 'reset-failed' || reason === 'journal') return undefined;
    const left = await resetLeft(this.#setup.servers, this.#state, inForce, { ms: 0 });
    await this.#giveUpOthers();
    return notReset(left);
  }

  /**
   * Makes attempts, one at a time per bench.
   *
   * @param next returns the next attempt of a bench; undefined if that depends on attempts in progress, or none
   * remains
   * @returns the end of the run; undefined if no attempt remains
   */
  async #makeAll(
    next: (bench: AttemptSetup) => Wanted | End | undefined,
  ): Promise<End | undefined> {
    let end: End | undefined;
    let failure: { readonly error: unknown } | undefined;
    const running = this.#running;
    // The steps after an attempt run without interruption: its bench is not free before its result is known.
    const attempt = async (bench: AttemptSetup, wanted: Wanted): Promise<void> => {
      running.add(wanted);
      const left = await this.#attempt(bench, wanted).catch((error: unknown) => {
        failure ??= { error };
        this.#hooks.broken.abort();
        return undefined;
      });
      running.delete(wanted);
      if (left === 'aside') this.#benches.setAside(bench);
      else {
        end ??= left;
        this.#benches.giveBack(bench);
      }
    };
    for (;;) {
      const bench = (end ?? failure) === undefined ? this.#benches.take() : undefined;
      if (bench !== undefined) {
        await this.#state.settled();
        const wanted = next(bench);
        if (wanted !== undefined && !('reason' in wanted)) {
          void attempt(bench, wanted);
          continue;
        }
        this.#benches.giveBack(bench);
        end = wanted;
        if (end === undefined && running.size === 0) return undefined;
      }
      if (running.size > 0) await this.#benches.changed();
      else if (failure !== undefined) throw failure.error;
      else if (end !== undefined) return end;
      else if (!(await this.#benches.awaitReturn())) {
        end = this.#interrupted() ?? { reason: 'no-bench' };
      }
    }
  }

  /** Returns the next attempt of a bench: its baseline, then interrupted attempts, repetitions, and a new set. */
  #next(bench: AttemptSetup): Wanted | End | undefined {
    const { objective, record } = this.#setup;
    const state = this.#state.current;
    const stopped = this.#interrupted();
    const useless = baselineEnd(state.baselines, record);
    if (useless !== undefined) return useless;
    const baseline = this.#nextBaseline(bench);
    if (baseline !== undefined) return stopped ?? baseline;
    const end = reasonToEnd(objective, state);
    const repeated = end?.reason === 'time' ? undefined : toBeRepeated(state);
    if (stopped !== undefined || (end !== undefined && repeated === undefined)) {
      return end ?? stopped;
    }
    const begun = this.#begun();
    if (begun !== undefined) return begun;
    const n = nextNumber(state);
    if (repeated !== undefined) {
      return { n, plan: repeated.plan, repeats: repeated.repeats ?? repeated.n };
    }
    if (mayBeLast(objective, state)) return undefined;
    const plan = this.#nextPlan(state);
    return plan === undefined ? { reason: 'set-aside' } : { n, plan };
  }

  /** Returns the set of the next attempt; undefined if all sets are set aside. */
  #nextPlan(state: RunState): Plan | undefined {
    const { replay } = this.#setup.record;
    if (replay !== undefined) return asideIn(state).length > 0 ? undefined : replay.plan;
    const set = this.#nextSet(state);
    return set && toPlan(this.#setup.space, set);
  }

  /** Returns an attempt that an interruption, or a bench that was set aside, has left. */
  #begun(): AttemptRecord | undefined {
    const running = [...this.#running].filter((one) => !one.baseline).map(({ n }) => n);
    return this.#state.current.open.find((one) => !one.baseline && !running.includes(one.n));
  }

  /** Returns the next attempt of a bench's baseline; undefined if that is complete. */
  #nextBaseline({ bench }: AttemptSetup): Wanted | undefined {
    const { record } = this.#setup;
    const { baselines, open } = this.#state.current;
    const hasEvents = record.command !== undefined || record.polls !== undefined;
    const wanted = hasEvents ? (record.baselines ?? 0) : 0;
    if (baselines.filter((baseline) => baseline.bench === bench).length >= wanted) return undefined;
    const known = open.filter((one) => one.baseline);
    const n = Math.max(0, ...[...baselines, ...known].map((baseline) => baseline.n)) + 1;
    return known.find((one) => one.bench === bench) ?? { n, baseline: true, plan: [] };
  }

  #interrupted(): End | undefined {
    const { signal, held } = this.#hooks;
    if (signal.aborted) {
      if (signal.reason === INTERNAL_ERROR) return { reason: 'error' };
      return { reason: 'interrupted', detail: String(signal.reason) };
    }
    return held.signal.aborted ? { reason: 'held', detail: String(held.signal.reason) } : undefined;
  }

  /** Shrinks after the run's own attempts, unless the run may be resumed: it may not have judged the system yet. */
  async #shrinkAfter(end: End): Promise<End | undefined> {
    if (!this.#setup.record.shrink || !isFinal(end)) return undefined;
    for (;;) {
      const early = await this.#makeAll((bench) => this.#nextTry(bench));
      const next = early ?? this.#shrinking();
      if (next === undefined || 'reason' in next) return next;
      if ('step' in next) await this.#state.write(next);
    }
  }

  #shrinking() {
    return nextShrinking(this.#setup.space, this.#state.current);
  }

  /**
   * Returns the next attempt to shrink a set: as many benches may try a set in parallel as it would be tried in a
   * row.
   */
  #nextTry(bench: AttemptSetup): Wanted | End | undefined {
    const baseline = this.#nextBaseline(bench);
    if (baseline !== undefined) return this.#interrupted() ?? baseline;
    const begun = this.#begun();
    const next = begun ?? this.#shrinking();
    if (next === undefined || !('times' in next)) return begun;
    const { plan, shrinks, times } = next;
    if (this.#state.current.open.filter((one) => one.shrinks === shrinks).length >= times)
      return undefined;
    return this.#interrupted() ?? { n: nextNumber(this.#state.current), plan, shrinks };
  }

  /** Announces an attempt, unless that was done, and makes it; the result ends the run, or sets the bench aside. */
  async #attempt(bench: AttemptSetup, wanted: Wanted): Promise<End | 'aside' | undefined> {
    const { bench: name } = bench;
    if (!wanted.baseline) this.#state.startClock();
    if (!('step' in wanted) || wanted.bench !== name) {
      const step = { step: 'attempt' as const, ...wanted };
      await this.#state.write({ ...step, ...defined({ bench: name }) });
    }
    const announced = this.#state.current.open.find(
      (one) => one.n === wanted.n && one.bench === name,
    );
    return this.#make(bench, announced as AttemptRecord);
  }

  /** Makes an attempt, or repeats the one that was interrupted; `aside` if its bench does not respond. */
  async #make(bench: AttemptSetup, announced: AttemptRecord): Promise<End | 'aside' | undefined> {
    for (let repeats = 0; ; repeats += 1) {
      this.#tell({ kind: 'attempt', record: announced });
      const report = await runSurroundedAttempt(bench, announced, {
        journal: this.#journal,
        tell: (news) => this.#tell({ ...news, n: announced.n, bench: bench.bench }),
        onHeld: (server) => this.#hooks.held.abort(server),
        signal: this.#signal,
      });
      const { notTornDown } = report;
      if (notTornDown !== undefined) {
        const end = await this.#conclude(announced, report);
        if (end !== undefined && end.reason !== 'interrupted') return end;
        return { reason: 'teardown-failed', detail: notTornDown };
      }
      const isOutage = report.kind === 'measured' && report.result.outage === true;
      const isLeft = isOutage || report.kind === 'stuck';
      if (isLeft && !this.#benches.isOne && !this.#signal.aborted) {
        if (!(await this.#benches.isWell(bench))) return 'aside';
        if (report.kind === 'stuck') {
          if (repeats < MOST_REPEATS) continue;
          return 'aside';
        }
      }
      if (!isOutage) return this.#conclude(announced, report);
      const names = [...new Set(announced.plan.map(({ server }) => server))];
      const { reasons } = report.result;
      const isLast = repeats === MOST_REPEATS;
      if (!isLast) {
        this.#tell({
          ...{ kind: 'repeating', n: announced.n, bench: bench.bench },
          servers: names,
          reasons,
        });
      }
      const answer = await this.#serversAnswer(bench, names);
      // An attempt whose repetition was interrupted is still open.
      if (this.#signal.aborted) return this.#interrupted();
      if (answer && !isLast) continue;
      const result = { ...report.result, ...(answer && { aside: true }) };
      return this.#conclude(announced, { ...report, result });
    }
  }

  /** Waits until servers respond; false if they do not, or the user does not want to wait any longer. */
  async #serversAnswer({ servers }: AttemptSetup, names: readonly string[]): Promise<boolean> {
    const answered = await Promise.all(
      names.map((name) => awaitServer(servers, name, this.#patience)),
    );
    return answered.every(Boolean);
  }

  async #conclude(
    { n, plan, baseline, bench, repeats: isRepeat }: AttemptRecord,
    report: AttemptReport,
  ): Promise<End | undefined> {
    switch (report.kind) {
      case 'measured': {
        const measurements = withinRoom(report.result.measurements, this.#state.current);
        const result = { ...defined({ bench }), ...report.result, measurements };
        await this.#state.write({ step: 'measured', n, ...result });
        const { attempts, baselines, repeats = [] } = this.#state.current;
        const made = baseline ? baselines : isRepeat ? repeats : attempts;
        const attempt = made.findLast((one) => one.n === n) as DoneAttempt;
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
