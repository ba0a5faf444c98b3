import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UNTIED_HELP, untiedText } from '../../expression/index.js';
import type { EndedMutation, ServerAnswer } from '../../mutators/index.js';
import type { Objective, TraceExpression } from '../../objective/index.js';
import type { Reading, Session } from '../../session/index.js';
import { defined, writeJson } from '../../values/index.js';
import { aborted } from '../aborted.js';
import {
  type AttemptCommand,
  type AttemptPhase,
  type AttemptResult,
  type AttemptSteps,
  type Judged,
  type MutationState,
  makeAttempt,
  mayBeActive,
  type RefusedMutation,
} from '../attempt/attempt.js';
import { failuresBeside } from '../attempt/causes.js';
import { type Judgement, judge, namesOwnEvents, runOrder } from '../attempt/judge.js';
import type { Recorder } from '../attempt/recorder.js';
import type {
  AttemptRecord,
  CommandEnd,
  JournalRecord,
  MeasuredRecord,
  RunRecord,
  SystemRecovery,
} from '../journal/records.js';
import { nowNs } from '../now.js';
import { mutatorOf, type PlannedInjection, planToJson, type Space } from '../plan/space.js';
import {
  type AttemptEvents,
  type ExpressionWatch,
  openAttemptEvents,
  watchExpressions,
  writeAnew,
} from './attempt-events.js';
import { collect } from './collect.js';
import {
  attemptFiles,
  type CommandExit,
  type CommandGuard,
  type RunningCommand,
  startCommand,
} from './command.js';
import { readAsText } from './file-events.js';
import { Interrupted, interruptible } from './interruptible.js';
import type { OpenSource } from './otlp-receiver.js';
import { becomesReady, notReadyText } from './ready.js';
import { ForceWatch, inject, mutationId, reset, type Servers } from './servers.js';

/** The settings that all attempts of a run share. */
export interface CommonSetup {
  /** The first record of the run. */
  readonly record: RunRecord;
  readonly objective: Objective;
  readonly space: Space;
  readonly cwd: string;
  /** The working directory of perturb.toml's commands: its own directory. */
  readonly configDirectory: string;
  /** Returns the reading of evidence from `collect`, by the path of its file or of the program that prints it. */
  readonly collectedReading: (path: string) => Reading;
  /** Resets everything as soon as it is true. */
  readonly guardCheck?: TraceExpression;
  /** Must become true after the mutations were reset. */
  readonly recoveryCheck?: TraceExpression;
  /** Must become true before anything is injected. */
  readonly readyCheck?: TraceExpression;
}

/** A bench for attempts, with their settings. */
export interface AttemptSetup extends CommonSetup {
  /** The name of the bench; none in a run without benches. */
  readonly bench: string | undefined;
  /** By the names that plans use. */
  readonly servers: Servers;
  /** The directory of the attempts' files, absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The reading of the command's session file. */
  readonly reading: Reading;
  readonly sources: readonly OpenSource[];
  readonly guard: CommandGuard;
  /** Timeout for an unresponsive server, in milliseconds. */
  readonly patience: () => number;
  /** Returns the sessions of the baseline, if an expression needs them. */
  readonly baseline: () => Promise<readonly Session[]>;
  /** True if interactions ordered events of an earlier attempt. */
  readonly isCausal: () => boolean;
}

/** The progress of an attempt, for a terminal. */
export type AttemptNews =
  | { readonly kind: 'phase'; readonly phase: AttemptPhase }
  | { readonly kind: 'injected' | 'reset'; readonly at: number }
  /** A note about a source of events. */
  | { readonly kind: 'source'; readonly text: string };

export interface AttemptHooks {
  /** Writes a step to the journal. Rejects if it cannot be written. */
  readonly journal: (step: JournalRecord) => Promise<void>;
  readonly tell: (news: AttemptNews) => void;
  /** Called when a server reports that its injections are stopped: the attempt must not continue. */
  readonly onHeld: (server: string) => void;
  /** Aborted when the attempt must not continue. */
  readonly signal: AbortSignal;
}

/** The result of an attempt. */
export type AttemptReport =
  | { readonly kind: 'measured'; readonly result: Omit<MeasuredRecord, 'step' | 'n'> }
  | Exclude<AttemptResult, { readonly kind: 'measured' }>
  /** The journal cannot be written; everything that could be reset was. */
  | { readonly kind: 'unwritten'; readonly error: unknown; readonly stuck: readonly number[] };

/** Makes one attempt. In all cases, every mutator of the set is reset before this resolves. */
export async function runAttempt(
  setup: AttemptSetup,
  announced: AttemptRecord,
  hooks: AttemptHooks,
): Promise<AttemptReport> {
  const { objective, record, reading, sources, recoveryCheck } = setup;
  const { polls = [] } = record;
  const what = announced.baseline ? 'baseline' : 'attempt';
  let look = () => {};
  const events = await openAttemptEvents({
    name: `${objective.name}, ${what} ${announced.n}`,
    ...(record.command && { file: attemptFiles(setup.directory, announced).events }),
    ...(record.budget !== undefined && { budget: record.budget }),
    order: () => runOrder(record, setup.isCausal()),
    ...{ reading, sources, polls },
    pollContext: { env: setup.env, cwd: setup.configDirectory },
    onEvents: () => look(),
    onNote: (text) => hooks.tell({ kind: 'source', text }),
  });
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  hooks.signal.addEventListener('abort', stop, { once: true });
  if (hooks.signal.aborted) stop();
  const steps = new JournaledSteps(setup, announced, hooks, events, stop);
  look = () => steps.look();
  const shape = {
    hasReady: record.ready !== undefined,
    waits: steps.preconditions.map((precondition) => precondition !== undefined),
    delayed: announced.plan.map(({ timing }) => (timing?.onset ?? 0) > 0),
    ends: announced.plan.map(({ timing }) => timing?.duration !== undefined),
    hasCommand: record.command !== undefined,
    recovers: recoveryCheck !== undefined,
    hasSource: sources.length > 0 || polls.length > 0,
    hasPolls: polls.length > 0,
  };
  try {
    return steps.report(await makeAttempt(shape, steps, stopped.signal));
  } finally {
    hooks.signal.removeEventListener('abort', stop);
    steps.killCommand();
    await events.stop();
  }
}

/** Returns the variables that describe an attempt to its commands. */
export function attemptVariables(
  { replay, seed }: Pick<RunRecord, 'replay' | 'seed'>,
  { baseline, n, plan }: Pick<AttemptRecord, 'baseline' | 'n' | 'plan'>,
): Readonly<Record<string, string>> {
  return {
    PERTURB_ATTEMPT: baseline ? '0' : String(replay?.attempt ?? n),
    PERTURB_SEED: String(seed),
    PERTURB_PLAN: writeJson(planToJson(plan)),
  };
}

/** The exit status of an inconclusive command, as for `git bisect run`. */
const CANNOT_TELL = 125;

/** Returns the reason why a command fails an attempt. */
function failureText({ status, signal, lastLines, printed }: CommandExit, output: string): string {
  const ended =
    status === undefined
      ? `${signal} ended the command`
      : `the command ended with status ${status}`;
  const lines = lastLines.length > 0 ? `: ${lastLines.join(' | ')}` : '';
  return `${ended}${lines}${printed ? `; its output is in attempts/${output}` : ''}`;
}

/** Maximum pause between evaluations of a guard, whatever their duration: resets must begin within 500 ms. */
const GUARD_PAUSE_MS = 100;

/** The longest time that a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Waits; resolves with undefined if the signal is aborted first. */
function timeOver<T>(ms: number, value: T, signal: AbortSignal): Promise<T | undefined> {
  return pause(Math.min(ms, LONGEST_MS), value, { signal }).catch(() => undefined);
}

/** The steps of an attempt at its bench; each that touches a mutator is recorded in the journal. */
class JournaledSteps implements AttemptSteps {
  /** The precondition of each mutation that has one. */
  readonly preconditions: readonly (TraceExpression | undefined)[];
  readonly #setup: AttemptSetup;
  readonly #announced: AttemptRecord;
  readonly #hooks: AttemptHooks;
  readonly #events: AttemptEvents;
  /** Ends the attempt if its journal cannot be written. */
  readonly #stop: () => void;
  readonly #files: ReturnType<typeof attemptFiles>;
  readonly #force: ForceWatch;
  readonly #begun = performance.now();
  readonly #since = nowNs();
  readonly #preconditionWatch: ExpressionWatch;
  readonly #guardWatch: ExpressionWatch;
  readonly #recoveryWatch: ExpressionWatch;
  #isCommandStarted = false;
  #command: RunningCommand | undefined;
  /** True if Perturb ended the command; `#isTimeUp` if because the time was over. */
  #isCommandTold = false;
  #isTimeUp = false;
  #commandEnd: CommandEnd | undefined;
  /** The time from which injected mutations no longer had to be in force. */
  #overAt: { readonly ms: number; readonly time: number } | undefined;
  #recovery: SystemRecovery | undefined;
  /** The reason if the journal cannot be written. */
  #unwritten: unknown;

  constructor(
    setup: AttemptSetup,
    announced: AttemptRecord,
    hooks: AttemptHooks,
    events: AttemptEvents,
    stop: () => void,
  ) {
    const { space } = setup;
    this.#setup = setup;
    this.#announced = announced;
    this.#hooks = hooks;
    this.#events = events;
    this.#stop = stop;
    this.#files = attemptFiles(setup.directory, announced);
    const mutators = announced.plan.map((one) => mutatorOf(space, one));
    this.#force = new ForceWatch(mutators);
    this.preconditions = mutators.map((mutator) => space.precondition ?? mutator?.precondition);
    const { window } = events;
    this.#preconditionWatch = watchExpressions(() => window.soFar());
    this.#guardWatch = watchExpressions(() => window.soFar(), GUARD_PAUSE_MS);
    this.#recoveryWatch = watchExpressions(() => window.afterResets());
  }

  /** Schedules an evaluation of the arrived events. */
  look(): void {
    this.#preconditionWatch.poll();
    this.#guardWatch.poll();
    this.#recoveryWatch.poll();
  }

  enter(phase: AttemptPhase): void {
    this.#hooks.tell({ kind: 'phase', phase });
  }

  async inject(at: number): Promise<RefusedMutation | undefined> {
    const { n } = this.#announced;
    const injection = this.#injection(at);
    if (!(await this.#journal({ step: 'inject', n, at }))) {
      return { reason: 'the journal is not writable', maybe: false };
    }
    const asked = performance.now();
    const mutation = mutationId(this.#setup.record.id, n, at);
    this.#events.window.add((recorder) => recorder.injecting(at));
    const answer = await inject(this.#setup.servers, injection, mutation);
    const time = nowNs();
    if ('reason' in answer) {
      const { outage, held, ...refused } = answer;
      if (outage) this.#force.outage = true;
      if (held) this.#hooks.onHeld(injection.server);
      await this.#journal({ step: 'refused', n, at, ...refused });
      return refused;
    }
    this.#force.injected(at, { mutation, asked, instance: answer.instance });
    const beforeCommand = !this.#isCommandStarted;
    this.#events.window.add(
      (recorder) => recorder.injected(injection, at, time, beforeCommand),
      time,
    );
    await this.#journal({ step: 'injected', n, at });
    this.#hooks.tell({ kind: 'injected', at });
    return undefined;
  }

  async ready(signal: AbortSignal): Promise<string | undefined> {
    const { record, readyCheck, env, configDirectory: cwd } = this.#setup;
    const { command, ms = 0 } = record.ready ?? {};
    if (command !== undefined) {
      const common = { vector: command, cwd, env: { ...env, ...this.#variables } };
      return becomesReady({ ...common, timeoutMs: ms, signal });
    }
    const isOver = new AbortController();
    const either = AbortSignal.any([signal, isOver.signal]);
    const seen = this.#preconditionWatch.until(readyCheck as TraceExpression, either);
    this.look();
    const late = await Promise.race([seen.then(() => undefined), timeOver(ms, 'late', either)]);
    isOver.abort();
    return late && `${notReadyText(ms)}: "ready" of [run] was not true of the events so far`;
  }

  pollsBegun(signal: AbortSignal): Promise<void> {
    return this.#events.polling.begun(signal);
  }

  settlePolls(signal: AbortSignal): Promise<void> {
    return this.#events.polling.settle(signal);
  }

  endPolls(signal: AbortSignal): Promise<void> {
    return this.#events.polling.finish(signal);
  }

  async collect(signal: AbortSignal): Promise<string | undefined> {
    const { record, env, configDirectory: cwd, collectedReading: readingOf } = this.#setup;
    const { commands = [], ms: timeoutMs = 0 } = record.collect ?? {};
    const tolerant = record.tolerant === true;
    const common = { cwd, env: { ...env, ...this.#variables }, timeoutMs, tolerant, readingOf };
    for (const vector of commands) {
      const collected = await collect({ ...common, vector, signal });
      if ('failed' in collected) return signal.aborted ? undefined : collected.failed;
      const { evidence } = collected;
      const name = `collect: ${vector.join(' ')}`;
      const text =
        evidence === undefined
          ? `${name} printed nothing, so it added no events`
          : readAsText(name, evidence.format);
      this.#hooks.tell({ kind: 'source', text });
      if (evidence === undefined) continue;
      this.#events.window.add((recorder) => recorder.addCollected(evidence.session, this.#since));
    }
    return undefined;
  }

  precondition(at: number, signal: AbortSignal): Promise<unknown> {
    return this.#preconditionWatch.until(this.preconditions[at] as TraceExpression, signal);
  }

  onset(at: number, signal: AbortSignal): Promise<unknown> {
    return timeOver(this.#injection(at).timing?.onset ?? 0, 'over', signal);
  }

  duration(at: number, signal: AbortSignal): Promise<unknown> {
    return timeOver(this.#injection(at).timing?.duration ?? 0, 'over', signal);
  }

  guard(signal: AbortSignal): Promise<number | undefined> {
    const { guardCheck } = this.#setup;
    return guardCheck === undefined ? aborted(signal) : this.#guardWatch.until(guardCheck, signal);
  }

  time(signal: AbortSignal): Promise<'over' | undefined> {
    this.look();
    return timeOver(this.#setup.record.attemptMs, 'over', signal);
  }

  startCommand(): AttemptCommand {
    const { record, cwd, env, sources, guard } = this.#setup;
    this.#isCommandStarted = true;
    const starting = startCommand({
      vector: record.command ?? [],
      cwd,
      env: {
        ...env,
        ...Object.assign({}, ...sources.map((source) => source.env)),
        ...this.#variables,
      },
      events: this.#files.events,
      output: this.#files.output,
      guard,
    });
    return {
      end: (isTimeUp) => {
        this.#isTimeUp = isTimeUp;
        const end = (command: RunningCommand) => {
          this.#isCommandTold ||= command.end();
        };
        // A command that did not start has nothing to end.
        starting.then(end, () => {});
      },
      ended: starting.then(
        async (command) => {
          this.#command = command;
          return this.#noteEnd(await command.ended);
        },
        (error: Error) => error.message,
      ),
    };
  }

  get #variables(): Readonly<Record<string, string>> {
    return attemptVariables(this.#setup.record, this.#announced);
  }

  /** Records the end of the command. @returns the reason if the attempt cannot be judged */
  #noteEnd(exit: CommandExit): string | undefined {
    const { status, signal } = exit;
    const { ignoreStatus } = this.#setup.record;
    const meansSomething = !ignoreStatus && !this.#isCommandTold;
    const isUntold = meansSomething && status === CANNOT_TELL;
    const isBad = meansSomething && status !== 0 && status !== CANNOT_TELL;
    const end: CommandEnd = {
      ...defined({ status, signal }),
      timedOut: this.#isTimeUp && this.#isCommandTold && this.#recovery === undefined,
      ...(isBad && { failure: failureText(exit, basename(this.#files.output)) }),
    };
    const time = nowNs();
    this.#events.polling.commandEnded();
    this.#commandEnd = end;
    this.#events.window.addLast((recorder) => recorder.commandEnded(end, time));
    return isUntold ? `the command ended with status ${CANNOT_TELL}: it could not tell` : undefined;
  }

  /** Kills the command if a bug has left it running. */
  killCommand(): void {
    this.#command?.kill();
  }

  async beginRecovery(): Promise<void> {
    await this.#events.drain('leave');
    this.#events.window.beginRecovery(nowNs());
  }

  async reset(at: number, mutation: MutationState): Promise<string | undefined> {
    const injection = this.#injection(at);
    const { servers, bench, patience } = this.#setup;
    const isPlanned = mutation === 'ending';
    // Output of the command so far comes before the reset.
    if (isPlanned) await this.#events.drain('leave');
    const asked = nowNs();
    const now = { ms: performance.now(), time: Date.now() };
    if (!isPlanned) this.#overAt ??= now;
    const overAt = this.#overAt ?? now;
    const isPatient = mayBeActive(mutation);
    const waits = isPatient ? { ms: patience(), signal: this.#hooks.signal } : undefined;
    const answer = await reset(servers, injection, waits);
    if ('heldSince' in answer) this.#hooks.onHeld(injection.server);
    if ((mutation === 'active' || isPlanned) && !('failed' in answer)) {
      const ended = this.#endedEarly(answer, at, overAt.time);
      const lostAt = this.#force.lostAt(at, answer);
      const isGone = ended?.cause === 'gone';
      if (ended !== undefined && !isGone) this.#recordEnd(at, ended.time, ended.cause);
      else if (lostAt !== undefined) this.#recordEnd(at, lostAt, 'lost');
      else this.#recordReset(at, asked, isPlanned, isGone ? ended.cause : undefined);
      this.#force.reset(at, answer, overAt.ms, ended);
    }
    // A mutator that was not mutated needs no reset either.
    const failed = isPatient && 'failed' in answer ? answer.failed : undefined;
    const { n } = this.#announced;
    await this.#journal({ step: 'reset', n, at, ...defined({ bench, failed }) });
    this.#hooks.tell({ kind: 'reset', at });
    // Another mutation may depend on this one.
    if (isPlanned) this.look();
    return failed;
  }

  /**
   * Records that a mutator was reset.
   *
   * @param asked the time of the request
   * @param isPlanned true if that is the end of a duration
   * @param reason why the mutation had ended before, if the time is unknown
   */
  #recordReset(
    at: number,
    asked: bigint,
    isPlanned: boolean,
    reason = isPlanned ? 'duration' : undefined,
  ): void {
    const injection = this.#injection(at);
    const goesOn = isPlanned || this.#setup.recoveryCheck !== undefined;
    const how = { acknowledged: nowNs(), goesOn, ...defined({ reason }) };
    const entry = (recorder: Recorder) => recorder.reset(injection, at, asked, how);
    if (goesOn) this.#events.window.add(entry, asked);
    else this.#events.window.addLast(entry);
  }

  /** Records that a mutation ended otherwise, with its time. */
  #recordEnd(at: number, ms: number, reason: string): void {
    const injection = this.#injection(at);
    const time = BigInt(Math.round(ms)) * 1_000_000n;
    const entry = (recorder: Recorder) => recorder.ended(injection, at, time, reason);
    this.#events.window.addEarlier(entry, time);
  }

  /**
   * Returns the end of a mutation before it no longer had to be in force; undefined if there is none, or its server
   * cannot report it.
   */
  #endedEarly({ ended = [] }: ServerAnswer, at: number, overAt: number): EndedMutation | undefined {
    const id = mutationId(this.#setup.record.id, this.#announced.n, at);
    const isEarly = ({ time, cause }: EndedMutation) => cause === 'gone' || time < overAt;
    return ended.find((one) => one.mutation === id && isEarly(one));
  }

  async recovery(
    signal: AbortSignal,
    noMoreEvents: Promise<void> | undefined,
  ): Promise<boolean | undefined> {
    const { record, recoveryCheck } = this.#setup;
    const check = recoveryCheck as TraceExpression;
    const begun = performance.now();
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    try {
      const seen = this.#recoveryWatch.until(check, either);
      // The recovery may show before the last reset was answered.
      this.look();
      const recovered = await Promise.race([
        seen.then((ms) => ms !== undefined || undefined),
        timeOver(record.recovery?.ms ?? 0, false, either),
        (noMoreEvents ?? aborted(either)).then(() => this.#lastLook(check, either)),
      ]);
      if (recovered !== undefined) {
        this.#recovery = { recovered, ms: Math.round(performance.now() - begun) };
      }
      return recovered;
    } finally {
      done.abort();
    }
  }

  /** Expressions that are not true by now will not become true. */
  async #lastLook(check: TraceExpression, signal: AbortSignal): Promise<true | undefined> {
    if (signal.aborted) return undefined;
    await this.#drain();
    return this.#events.window.afterResets().isTrue(check) || undefined;
  }

  async measure(mutations: readonly MutationState[]): Promise<Judged | undefined> {
    await this.#drain();
    const recorder = this.#events.window.finish();
    const baseline = await this.#setup.baseline();
    const judgement = this.#judge(recorder, baseline, mutations);
    if (judgement === undefined) return undefined;
    if (this.#announced.baseline) this.#noteUntied(recorder);
    const { outcome, measurements, reasons, causal } = judgement;
    const unsaved = await writeAnew(this.#files.session, recorder.text()).then(
      () => [],
      (error: unknown) => [`the session could not be written: ${String(error)}`],
    );
    const { events, problemCount: lost } = recorder;
    return {
      ...{ outcome, measurements, reasons: [...reasons, ...unsaved], events },
      ...(lost > 0 && { lost }),
      ...defined({ causal }),
    };
  }

  /** Reports the probes whose events cannot be ordered with an injection, if a measurement is about injections. */
  #noteUntied(recorder: Recorder): void {
    const { objective, record } = this.#setup;
    const { measurements, mutationConstraints, mutators } = objective;
    if (!measurements.some(({ check }) => namesOwnEvents(check.expression))) return;
    const isAwaited = [mutationConstraints, ...mutators].some((one) => one.mutationPrecondition);
    const isAmongEvents = isAwaited || record.timing !== undefined || record.ready !== undefined;
    const probes = recorder.untiedProbes(!isAmongEvents);
    if (probes.length === 0) return;
    this.#hooks.tell({ kind: 'source', text: `${untiedText(probes)}; ${UNTIED_HELP}` });
  }

  /** Judges the recording; undefined if interrupted. */
  #judge(
    recorder: Recorder,
    baseline: readonly Session[],
    mutations: readonly MutationState[],
  ): Judgement | undefined {
    if (this.#hooks.signal.aborted) return undefined;
    const { record, objective } = this.#setup;
    const namesOf = (state: MutationState) =>
      this.#announced.plan.flatMap(({ name }, at) => (mutations[at] === state ? [name] : []));
    const circumstances = {
      record,
      attempt: this.#announced,
      waiting: namesOf('waiting'),
      delayed: namesOf('delayed'),
      unread: this.#events.problem(),
      notInForce: this.#force.doubts,
      failures: failuresBeside(this.#beside).map(({ sentence }) => sentence),
      baseline,
      isCausal: this.#setup.isCausal(),
    };
    try {
      return interruptible(() => judge(objective, recorder, circumstances));
    } catch (error) {
      if (error instanceof Interrupted) return undefined;
      throw error;
    }
  }

  /** Returns the report of an attempt's result. */
  report(result: AttemptResult): AttemptReport {
    if (this.#unwritten !== undefined) {
      const stuck = result.kind === 'stuck' ? result.stuck.map(({ at }) => at) : [];
      return { kind: 'unwritten', error: this.#unwritten, stuck };
    }
    if (result.kind !== 'measured') return result;
    const { guardMs, ...measured } = result.result;
    return {
      kind: 'measured',
      result: {
        ...measured,
        ms: Math.round(performance.now() - this.#begun),
        ...this.#beside,
        ...defined({ guardMs }),
        ...(this.#force.outage && { outage: true }),
      },
    };
  }

  /** The parts of the record besides the measurements. */
  get #beside(): Pick<MeasuredRecord, 'command' | 'recovery'> {
    return defined({ command: this.#commandEnd, recovery: this.#recovery });
  }

  #injection(at: number): PlannedInjection {
    return this.#announced.plan[at] as PlannedInjection;
  }

  /** Reads the arrived events; a line that was cut short by the end of the command does not count as lost. */
  async #drain(): Promise<void> {
    await this.#events.drain(this.#isCommandTold ? 'if-event' : 'take', true);
  }

  /** Writes a step. If that fails, nothing more is begun, but everything begun is reset. */
  async #journal(step: JournalRecord): Promise<boolean> {
    if (this.#unwritten !== undefined) return false;
    try {
      await this.#hooks.journal(step);
      return true;
    } catch (error) {
      this.#unwritten = error;
      this.#stop();
      return false;
    }
  }
}
