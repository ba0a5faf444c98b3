import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UNTIED_HELP, untiedText } from '../../expression/index.js';
import type { EndedMutation, ServerStatus } from '../../mutators/index.js';
import type { Objective, TraceExpression } from '../../objective/index.js';
import type { Reading, Session } from '../../session/index.js';
import { defined, writeJson } from '../../values/index.js';
import {
  type AttemptCommand,
  type AttemptPhase,
  type AttemptResult,
  type AttemptSteps,
  type MeasuredPart,
  type MutationState,
  makeAttempt,
  mayBeActive,
  type RefusedMutation,
} from '../attempt/attempt.js';
import { nonMeasurementFailuresOf } from '../attempt/causes.js';
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
import { whenAborted } from '../when-aborted.js';
import {
  type AttemptEvents,
  type ExpressionWatch,
  openAttemptEvents,
  rewriteFile,
  watchExpressions,
} from './attempt-events.js';
import { collect } from './collect.js';
import {
  attemptFiles,
  type CommandExit,
  type CommandGuard,
  type RunningCommand,
  startCommand,
} from './command.js';
import { describeReading } from './file-events.js';
import { InterruptedError, runInterruptibly } from './interruptible.js';
import type { OpenEventSource } from './otlp-receiver.js';
import { notReadyText, waitUntilReady } from './ready.js';
import { ActivityWatch, inject, mutationId, reset, type Servers } from './servers.js';

/** Settings shared by all attempts of a run. */
export interface CommonSetup {
  /** The run's first record. */
  readonly record: RunRecord;
  readonly objective: Objective;
  readonly space: Space;
  readonly cwd: string;
  /** The directory of perturb.toml, in which the file's commands run. */
  readonly configDirectory: string;
  /**
   * Returns the settings for reading `collect` evidence.
   *
   * @param path absolute path of the evidence's file or of the program that prints the evidence
   */
  readonly findReading: (path: string) => Reading;
  /** The expression that triggers the resets as soon as it is true. */
  readonly guardCheck?: TraceExpression;
  /** The expression that must become true after the resets. */
  readonly recoveryCheck?: TraceExpression;
  /** The expression that must become true before any injection. */
  readonly readyCheck?: TraceExpression;
}

/** A bench and the settings for its attempts. */
export interface AttemptSetup extends CommonSetup {
  /** The bench's name; undefined in a run without benches. */
  readonly bench: string | undefined;
  /** The bench's servers, keyed by their names in plans. */
  readonly servers: Servers;
  /** The absolute path of the directory for the attempts' files. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings for reading the command's session file. */
  readonly reading: Reading;
  readonly sources: readonly OpenEventSource[];
  readonly guard: CommandGuard;
  /** Returns the time for which to retry an unresponsive server, in milliseconds. */
  readonly patience: () => number;
  /** Returns the baseline's sessions, if an expression needs them. */
  readonly baseline: () => Promise<readonly Session[]>;
  /** Returns true if interactions ordered the events of an earlier attempt. */
  readonly isCausal: () => boolean;
}

/** An attempt's progress, for a terminal. */
export type AttemptUpdate =
  | { readonly kind: 'phase'; readonly phase: AttemptPhase }
  | { readonly kind: 'injected' | 'reset'; readonly at: number }
  /** A note about an event source. */
  | { readonly kind: 'source'; readonly text: string };

export interface AttemptHooks {
  /** Writes a step to the journal. Rejects if the journal cannot be written. */
  readonly journal: (step: JournalRecord) => Promise<void>;
  readonly tell: (news: AttemptUpdate) => void;
  /** Called when a server reports that its injections are stopped, so the attempt must not continue. */
  readonly onHeld: (server: string) => void;
  /** Aborted when the attempt must not continue. */
  readonly signal: AbortSignal;
}

/** An attempt's result. */
export type AttemptReport =
  | { readonly kind: 'measured'; readonly result: Omit<MeasuredRecord, 'step' | 'n'> }
  | Exclude<AttemptResult, { readonly kind: 'measured' }>
  /** The journal cannot be written. `stuck` contains the positions of the mutators that could not be reset. */
  | { readonly kind: 'unwritten'; readonly error: unknown; readonly stuck: readonly number[] };

/** Makes an attempt. Always resets all of the set's mutators before resolving. */
export async function runAttempt(
  setup: AttemptSetup,
  attempt: AttemptRecord,
  hooks: AttemptHooks,
): Promise<AttemptReport> {
  const { objective, record, reading, sources, recoveryCheck } = setup;
  const { polls = [] } = record;
  const kind = attempt.baseline ? 'baseline' : 'attempt';
  let scheduleChecks = () => {};
  const events = await openAttemptEvents({
    name: `${objective.name}, ${kind} ${attempt.n}`,
    ...(record.command && { file: attemptFiles(setup.directory, attempt).events }),
    ...(record.budget !== undefined && { budget: record.budget }),
    order: () => runOrder(record, setup.isCausal()),
    ...{ reading, sources, polls },
    pollContext: { env: setup.env, cwd: setup.configDirectory },
    onEvents: () => scheduleChecks(),
    onNote: (text) => hooks.tell({ kind: 'source', text }),
  });
  const abandonment = new AbortController();
  const stop = () => abandonment.abort();
  hooks.signal.addEventListener('abort', stop, { once: true });
  if (hooks.signal.aborted) stop();
  const steps = new JournaledSteps(setup, attempt, hooks, events, stop);
  scheduleChecks = () => steps.scheduleChecks();
  const shape = {
    hasReadyCheck: record.ready !== undefined,
    hasPrecondition: steps.preconditions.map((precondition) => precondition !== undefined),
    hasOnset: attempt.plan.map(({ timing }) => (timing?.onset ?? 0) > 0),
    hasDuration: attempt.plan.map(({ timing }) => timing?.duration !== undefined),
    hasCommand: record.command !== undefined,
    mustRecover: recoveryCheck !== undefined,
    hasSource: sources.length > 0 || polls.length > 0,
    hasPolls: polls.length > 0,
  };
  try {
    return steps.report(await makeAttempt(shape, steps, abandonment.signal));
  } finally {
    hooks.signal.removeEventListener('abort', stop);
    steps.killCommand();
    await events.stop();
  }
}

/** Returns the environment variables that describe an attempt to its commands. */
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

/** The exit status of an inconclusive command, as in `git bisect run`. */
const INCONCLUSIVE_STATUS = 125;

/** Returns the message for a command that failed an attempt. */
function failureText(
  { status, signal, lastLines, hasOutput }: CommandExit,
  output: string,
): string {
  const exitText =
    status === undefined
      ? `${signal} terminated the command`
      : `the command exited with status ${status}`;
  const lines = lastLines.length > 0 ? `: ${lastLines.join(' | ')}` : '';
  return `${exitText}${lines}${hasOutput ? `; its output is in attempts/${output}` : ''}`;
}

/** Maximum pause between evaluations of a guard, because resets must begin within 500 ms. */
const GUARD_PAUSE_MS = 100;

/** Maximum delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Resolves with a value after a delay, or with undefined if the signal is aborted first. */
function waitUnlessAborted<T>(ms: number, value: T, signal: AbortSignal): Promise<T | undefined> {
  return pause(Math.min(ms, LONGEST_MS), value, { signal }).catch(() => undefined);
}

/** The steps of an attempt on a bench. Records each injection and each reset in the journal. */
class JournaledSteps implements AttemptSteps {
  /** Each mutation's precondition, if any. */
  readonly preconditions: readonly (TraceExpression | undefined)[];
  readonly #setup: AttemptSetup;
  readonly #attempt: AttemptRecord;
  readonly #hooks: AttemptHooks;
  readonly #events: AttemptEvents;
  /** Ends the attempt after the journal could not be written. */
  readonly #stop: () => void;
  readonly #files: ReturnType<typeof attemptFiles>;
  readonly #activity: ActivityWatch;
  readonly #startedAt = performance.now();
  readonly #sessionStart = nowNs();
  readonly #preconditionWatch: ExpressionWatch;
  readonly #guardWatch: ExpressionWatch;
  readonly #recoveryWatch: ExpressionWatch;
  #isCommandStarted = false;
  #command: RunningCommand | undefined;
  /** True if Perturb ended the command. `#isTimeUp` is true if the attempt's time was over at that point. */
  #hasSentEnd = false;
  #isTimeUp = false;
  #commandEnd: CommandEnd | undefined;
  /** The time after which mutations no longer had to be active, on two clocks. */
  #mutationsEnd: { readonly ms: number; readonly time: number } | undefined;
  #recovery: SystemRecovery | undefined;
  /** The error if the journal could not be written. */
  #unwritten: unknown;

  constructor(
    setup: AttemptSetup,
    attempt: AttemptRecord,
    hooks: AttemptHooks,
    events: AttemptEvents,
    stop: () => void,
  ) {
    const { space } = setup;
    this.#setup = setup;
    this.#attempt = attempt;
    this.#hooks = hooks;
    this.#events = events;
    this.#stop = stop;
    this.#files = attemptFiles(setup.directory, attempt);
    const mutators = attempt.plan.map((injection) => mutatorOf(space, injection));
    this.#activity = new ActivityWatch(mutators);
    this.preconditions = mutators.map((mutator) => space.precondition ?? mutator?.precondition);
    const { window } = events;
    this.#preconditionWatch = watchExpressions(() => window.soFar());
    this.#guardWatch = watchExpressions(() => window.soFar(), GUARD_PAUSE_MS);
    this.#recoveryWatch = watchExpressions(() => window.afterResets());
  }

  /** Schedules evaluations of all watched expressions. */
  scheduleChecks(): void {
    this.#preconditionWatch.poll();
    this.#guardWatch.poll();
    this.#recoveryWatch.poll();
  }

  enter(phase: AttemptPhase): void {
    this.#hooks.tell({ kind: 'phase', phase });
  }

  async inject(position: number): Promise<RefusedMutation | undefined> {
    const { n } = this.#attempt;
    const injection = this.#injection(position);
    if (!(await this.#journal({ step: 'inject', n, at: position }))) {
      return { reason: 'the journal is not writable', maybe: false };
    }
    const sentAt = performance.now();
    const mutation = mutationId(this.#setup.record.id, n, position);
    this.#events.window.add((recorder) => recorder.injecting(position));
    const answer = await inject(this.#setup.servers, injection, mutation);
    const time = nowNs();
    if ('reason' in answer) {
      const { outage, held, ...refusal } = answer;
      if (outage) this.#activity.outage = true;
      if (held) this.#hooks.onHeld(injection.server);
      await this.#journal({ step: 'refused', n, at: position, ...refusal });
      return refusal;
    }
    this.#activity.injected(position, { mutation, sentAt, instance: answer.instance });
    const beforeCommand = !this.#isCommandStarted;
    this.#events.window.add(
      (recorder) => recorder.injected(injection, position, time, beforeCommand),
      time,
    );
    await this.#journal({ step: 'injected', n, at: position });
    this.#hooks.tell({ kind: 'injected', at: position });
    return undefined;
  }

  async ready(signal: AbortSignal): Promise<string | undefined> {
    const { record, readyCheck, env, configDirectory: cwd } = this.#setup;
    const { command, ms = 0 } = record.ready ?? {};
    if (command !== undefined) {
      const commonSetup = { vector: command, cwd, env: { ...env, ...this.#variables } };
      return waitUntilReady({ ...commonSetup, timeoutMs: ms, signal });
    }
    const timeout = new AbortController();
    const signals = AbortSignal.any([signal, timeout.signal]);
    const check = this.#preconditionWatch.until(readyCheck as TraceExpression, signals);
    this.scheduleChecks();
    const message = await Promise.race([
      check.then(() => undefined),
      waitUnlessAborted(ms, 'late', signals),
    ]);
    timeout.abort();
    return message && `${notReadyText(ms)}: the events so far do not satisfy "ready" in [run]`;
  }

  pollsBegun(signal: AbortSignal): Promise<void> {
    return this.#events.polling.waitForFirstAnswers(signal);
  }

  settlePolls(signal: AbortSignal): Promise<void> {
    return this.#events.polling.settle(signal);
  }

  endPolls(signal: AbortSignal): Promise<void> {
    return this.#events.polling.finish(signal);
  }

  async collect(signal: AbortSignal): Promise<string | undefined> {
    const { record, env, configDirectory: cwd, findReading: readingOf } = this.#setup;
    const { commands = [], ms: timeoutMs = 0 } = record.collect ?? {};
    const isTolerant = record.tolerant === true;
    const commonSetup = {
      cwd,
      env: { ...env, ...this.#variables },
      timeoutMs,
      tolerant: isTolerant,
      readingOf,
    };
    for (const vector of commands) {
      const result = await collect({ ...commonSetup, vector, signal });
      if ('failed' in result) return signal.aborted ? undefined : result.failed;
      const { evidence } = result;
      const name = `collect: ${vector.join(' ')}`;
      const text =
        evidence === undefined
          ? `${name} printed nothing, so no events were added`
          : describeReading(name, evidence.format);
      this.#hooks.tell({ kind: 'source', text });
      if (evidence === undefined) continue;
      this.#events.window.add((recorder) =>
        recorder.addCollected(evidence.session, this.#sessionStart),
      );
    }
    return undefined;
  }

  precondition(position: number, signal: AbortSignal): Promise<unknown> {
    return this.#preconditionWatch.until(this.preconditions[position] as TraceExpression, signal);
  }

  onset(position: number, signal: AbortSignal): Promise<unknown> {
    return waitUnlessAborted(this.#injection(position).timing?.onset ?? 0, 'over', signal);
  }

  duration(position: number, signal: AbortSignal): Promise<unknown> {
    return waitUnlessAborted(this.#injection(position).timing?.duration ?? 0, 'over', signal);
  }

  guard(signal: AbortSignal): Promise<number | undefined> {
    const { guardCheck } = this.#setup;
    return guardCheck === undefined
      ? whenAborted(signal)
      : this.#guardWatch.until(guardCheck, signal);
  }

  time(signal: AbortSignal): Promise<'over' | undefined> {
    this.scheduleChecks();
    return waitUnlessAborted(this.#setup.record.attemptMs, 'over', signal);
  }

  startCommand(): AttemptCommand {
    const { record, cwd, env, sources, guard } = this.#setup;
    this.#isCommandStarted = true;
    const start = startCommand({
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
          this.#hasSentEnd ||= command.end();
        };
        // A command that failed to start need not be ended.
        start.then(end, () => {});
      },
      ended: start.then(
        async (command) => {
          this.#command = command;
          return this.#recordCommandEnd(await command.ended);
        },
        (error: Error) => error.message,
      ),
    };
  }

  get #variables(): Readonly<Record<string, string>> {
    return attemptVariables(this.#setup.record, this.#attempt);
  }

  /** Records the command's end. @returns the reason if the attempt cannot be judged */
  #recordCommandEnd(exit: CommandExit): string | undefined {
    const { status, signal } = exit;
    const { ignoreStatus } = this.#setup.record;
    const isMeaningful = !ignoreStatus && !this.#hasSentEnd;
    const isInconclusive = isMeaningful && status === INCONCLUSIVE_STATUS;
    const isFailure = isMeaningful && status !== 0 && status !== INCONCLUSIVE_STATUS;
    const end: CommandEnd = {
      ...defined({ status, signal }),
      timedOut: this.#isTimeUp && this.#hasSentEnd && this.#recovery === undefined,
      ...(isFailure && { failure: failureText(exit, basename(this.#files.output)) }),
    };
    const time = nowNs();
    this.#events.polling.commandEnded();
    this.#commandEnd = end;
    this.#events.window.addAtEnd((recorder) => recorder.commandEnded(end, time));
    return isInconclusive
      ? `the command exited with status ${INCONCLUSIVE_STATUS} (inconclusive)`
      : undefined;
  }

  /** Kills the command if a bug has left the command running. */
  killCommand(): void {
    this.#command?.kill();
  }

  async beginRecovery(): Promise<void> {
    await this.#events.drain('leave');
    this.#events.window.beginRecovery(nowNs());
  }

  async reset(position: number, mutation: MutationState): Promise<string | undefined> {
    const injection = this.#injection(position);
    const { servers, bench, patience } = this.#setup;
    const isPlanned = mutation === 'ending';
    // The command's events so far precede the reset.
    if (isPlanned) await this.#events.drain('leave');
    const requestedAt = nowNs();
    const resetMoment = { ms: performance.now(), time: Date.now() };
    if (!isPlanned) this.#mutationsEnd ??= resetMoment;
    const mutationsEnd = this.#mutationsEnd ?? resetMoment;
    const shouldRetry = mayBeActive(mutation);
    const retryPatience = shouldRetry ? { ms: patience(), signal: this.#hooks.signal } : undefined;
    const answer = await reset(servers, injection, retryPatience);
    if ('heldSince' in answer) this.#hooks.onHeld(injection.server);
    if ((mutation === 'active' || isPlanned) && !('failed' in answer)) {
      const earlyEnd = this.#findEarlyEnd(answer, position, mutationsEnd.time);
      const lostAt = this.#activity.findLossTime(position, answer);
      const isGone = earlyEnd?.cause === 'gone';
      if (earlyEnd !== undefined && !isGone)
        this.#recordEnd(position, earlyEnd.time, earlyEnd.cause);
      else if (lostAt !== undefined) this.#recordEnd(position, lostAt, 'lost');
      else this.#recordReset(position, requestedAt, isPlanned, isGone ? earlyEnd.cause : undefined);
      this.#activity.reset(position, answer, mutationsEnd.ms, earlyEnd);
    }
    // A mutator that was never mutated needs no reset.
    const failure = shouldRetry && 'failed' in answer ? answer.failed : undefined;
    const { n } = this.#attempt;
    await this.#journal({ step: 'reset', n, at: position, ...defined({ bench, failed: failure }) });
    this.#hooks.tell({ kind: 'reset', at: position });
    // Another mutation's precondition may depend on this reset.
    if (isPlanned) this.scheduleChecks();
    return failure;
  }

  /**
   * Records a mutator's reset.
   *
   * @param requestedAt the time of the request
   * @param isPlanned true if the reset is the planned end of a duration
   * @param reason one word: the cause of an earlier end whose time is unknown
   */
  #recordReset(
    position: number,
    requestedAt: bigint,
    isPlanned: boolean,
    reason = isPlanned ? 'duration' : undefined,
  ): void {
    const injection = this.#injection(position);
    const continues = isPlanned || this.#setup.recoveryCheck !== undefined;
    const options = { acknowledgedAt: nowNs(), continues, ...defined({ reason }) };
    const entry = (recorder: Recorder) => recorder.reset(injection, position, requestedAt, options);
    if (continues) this.#events.window.add(entry, requestedAt);
    else this.#events.window.addAtEnd(entry);
  }

  /**
   * Records the end of a mutation that the run did not reset itself.
   *
   * @param ms time of the end, in milliseconds since 1970
   */
  #recordEnd(position: number, ms: number, reason: string): void {
    const injection = this.#injection(position);
    const time = BigInt(Math.round(ms)) * 1_000_000n;
    const entry = (recorder: Recorder) => recorder.ended(injection, position, time, reason);
    this.#events.window.addEarlier(entry, time);
  }

  /** Returns the end of a mutation that still had to be active. Undefined if the server reports no such end. */
  #findEarlyEnd(
    { ended = [] }: ServerStatus,
    position: number,
    overAt: number,
  ): EndedMutation | undefined {
    const id = mutationId(this.#setup.record.id, this.#attempt.n, position);
    const isEarly = ({ time, cause }: EndedMutation) => cause === 'gone' || time < overAt;
    return ended.find((end) => end.mutation === id && isEarly(end));
  }

  async recovery(
    signal: AbortSignal,
    noMoreEvents: Promise<void> | undefined,
  ): Promise<boolean | undefined> {
    const { record, recoveryCheck } = this.#setup;
    const check = recoveryCheck as TraceExpression;
    const startedAt = performance.now();
    const completion = new AbortController();
    const signals = AbortSignal.any([signal, completion.signal]);
    try {
      const wait = this.#recoveryWatch.until(check, signals);
      // The system may have recovered before the last reset was acknowledged.
      this.scheduleChecks();
      const hasRecovered = await Promise.race([
        wait.then((ms) => ms !== undefined || undefined),
        waitUnlessAborted(record.recovery?.ms ?? 0, false, signals),
        (noMoreEvents ?? whenAborted(signals)).then(() => this.#checkOnce(check, signals)),
      ]);
      if (hasRecovered !== undefined) {
        this.#recovery = { recovered: hasRecovered, ms: Math.round(performance.now() - startedAt) };
      }
      return hasRecovered;
    } finally {
      completion.abort();
    }
  }

  /** Evaluates an expression once, after the last event. Resolves with undefined if the expression is not true. */
  async #checkOnce(check: TraceExpression, signal: AbortSignal): Promise<true | undefined> {
    if (signal.aborted) return undefined;
    await this.#drain();
    return this.#events.window.afterResets().isTrue(check) || undefined;
  }

  async measure(mutations: readonly MutationState[]): Promise<MeasuredPart | undefined> {
    await this.#drain();
    const recorder = this.#events.window.finish();
    const baseline = await this.#setup.baseline();
    const judgement = this.#judge(recorder, baseline, mutations);
    if (judgement === undefined) return undefined;
    if (this.#attempt.baseline) this.#noteUnordered(recorder);
    const { outcome, measurements, reasons, causal } = judgement;
    const saveProblems = await rewriteFile(this.#files.session, recorder.text()).then(
      () => [],
      (error: unknown) => [`the session could not be written: ${String(error)}`],
    );
    const { events, problemCount: lostCount } = recorder;
    return {
      ...{ outcome, measurements, reasons: [...reasons, ...saveProblems], events },
      ...(lostCount > 0 && { lost: lostCount }),
      ...defined({ causal }),
    };
  }

  /** Reports probes whose events cannot be ordered with injections, if a measurement refers to Perturb's own events. */
  #noteUnordered(recorder: Recorder): void {
    const { objective, record } = this.#setup;
    const { measurements, mutationConstraints, mutators } = objective;
    if (!measurements.some(({ check }) => namesOwnEvents(check.expression))) return;
    const hasPrecondition = [mutationConstraints, ...mutators].some(
      (table) => table.mutationPrecondition,
    );
    const mayFollowEvents =
      hasPrecondition || record.timing !== undefined || record.ready !== undefined;
    const probes = recorder.unorderedProbes(!mayFollowEvents);
    if (probes.length === 0) return;
    this.#hooks.tell({ kind: 'source', text: `${untiedText(probes)}; ${UNTIED_HELP}` });
  }

  /** Judges the recording. Returns undefined if interrupted. */
  #judge(
    recorder: Recorder,
    baseline: readonly Session[],
    mutations: readonly MutationState[],
  ): Judgement | undefined {
    if (this.#hooks.signal.aborted) return undefined;
    const { record, objective } = this.#setup;
    const namesOf = (state: MutationState) =>
      this.#attempt.plan.flatMap(({ name }, position) =>
        mutations[position] === state ? [name] : [],
      );
    const circumstances = {
      record,
      attempt: this.#attempt,
      waitingNames: namesOf('waiting'),
      delayedNames: namesOf('delayed'),
      missingReason: this.#events.problem(),
      inactiveReasons: this.#activity.problems,
      failures: nonMeasurementFailuresOf(this.#otherResults).map(({ sentence }) => sentence),
      baseline,
      isCausal: this.#setup.isCausal(),
    };
    try {
      return runInterruptibly(() => judge(objective, recorder, circumstances));
    } catch (error) {
      if (error instanceof InterruptedError) return undefined;
      throw error;
    }
  }

  /** Returns the report for an attempt's result. */
  report(result: AttemptResult): AttemptReport {
    if (this.#unwritten !== undefined) {
      const stuckPositions = result.kind === 'stuck' ? result.failedResets.map(({ at }) => at) : [];
      return { kind: 'unwritten', error: this.#unwritten, stuck: stuckPositions };
    }
    if (result.kind !== 'measured') return result;
    const { guardMs, ...measured } = result.result;
    return {
      kind: 'measured',
      result: {
        ...measured,
        ms: Math.round(performance.now() - this.#startedAt),
        ...this.#otherResults,
        ...defined({ guardMs }),
        ...(this.#activity.outage && { outage: true }),
      },
    };
  }

  /** The results of the command and of the recovery. */
  get #otherResults(): Pick<MeasuredRecord, 'command' | 'recovery'> {
    return defined({ command: this.#commandEnd, recovery: this.#recovery });
  }

  #injection(position: number): PlannedInjection {
    return this.#attempt.plan[position] as PlannedInjection;
  }

  /** Reads the last events. If Perturb ended the command, an incomplete last line is not reported as lost. */
  async #drain(): Promise<void> {
    await this.#events.drain(this.#hasSentEnd ? 'if-event' : 'take', true);
  }

  /**
   * Writes a step. On an error, stops the attempt and thereby resets all mutators.
   *
   * @returns false if an error has occurred
   */
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
