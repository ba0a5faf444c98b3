import { basename } from 'node:path';
import type { Objective, TraceExpression } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import { defined, durationText, writeJson } from '../../values/index.js';
import {
  type AttemptAction,
  type AttemptEvent,
  type AttemptResult,
  type AttemptState,
  advance,
  isGoingOn,
  newAttempt,
} from '../attempt/attempt.js';
import { failuresBeside } from '../attempt/causes.js';
import { type Judgement, judge } from '../attempt/judge.js';
import type { Recorder } from '../attempt/recorder.js';
import type {
  AttemptRecord,
  CommandEnd,
  MeasuredRecord,
  RunRecord,
  Step,
  SystemRecovery,
} from '../journal/records.js';
import {
  mutatorOf,
  type Plan,
  type PlannedInjection,
  planToJson,
  type Space,
} from '../plan/space.js';
import {
  type AttemptEvents,
  openAttemptEvents,
  watchExpressions,
  writeAnew,
} from './attempt-events.js';
import {
  attemptFiles,
  type CommandExit,
  type CommandGuard,
  type RunningCommand,
  startCommand,
} from './command.js';
import { Interrupted, interruptible } from './interruptible.js';
import type { OpenSource } from './otlp-receiver.js';
import { ForceWatch, inject, mutationId, reset, type Servers } from './servers.js';

/** The time of this machine in nanoseconds since 1970, as precisely as it is known. */
function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

/** What is the same for all attempts of a run. */
export interface CommonSetup {
  /** What the run was begun with. */
  readonly record: RunRecord;
  readonly objective: Objective;
  readonly space: Space;
  readonly cwd: string;
  /** As soon as it is true, everything is reset. */
  readonly guardCheck?: TraceExpression;
  /** What must become true after the mutations were reset. */
  readonly recoveryCheck?: TraceExpression;
}

/** A bench at which attempts can be made, and what they are made with. */
export interface AttemptSetup extends CommonSetup {
  /** What the bench is called; none in a run without benches. */
  readonly bench: string | undefined;
  /** By the names that plans use. */
  readonly servers: Servers;
  /** The directory of the attempts' files, absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly source?: OpenSource;
  readonly guard: CommandGuard;
  /** How long to wait for a server that does not answer, in milliseconds. */
  readonly patience: () => number;
  /** The sessions of the baseline, where an expression asks for them. */
  readonly baseline: () => Promise<readonly Session[]>;
}

/** The progress of an attempt, for a terminal. */
export type AttemptNews =
  | { readonly kind: 'phase'; readonly phase: AttemptState['phase'] }
  | { readonly kind: 'injected' | 'reset'; readonly at: number };

interface AttemptHooks {
  /** Writes a step to the journal. Rejects when it cannot be written. */
  readonly journal: (step: Step) => Promise<void>;
  readonly tell: (news: AttemptNews) => void;
  /** A server has said that its injections are stopped: the attempt must not go on. */
  readonly onHeld: (server: string) => void;
  /** Aborted when the attempt must not go on. */
  readonly signal: AbortSignal;
}

/** What came of an attempt. */
export type AttemptReport =
  | { readonly kind: 'measured'; readonly result: Omit<MeasuredRecord, 'step' | 'n'> }
  | Exclude<AttemptResult, { readonly kind: 'measured' }>
  /** The journal cannot be written; everything that could be reset was. */
  | { readonly kind: 'unwritten'; readonly error: unknown; readonly stuck: readonly number[] };

/** Makes one attempt. Whatever happens, every mutator of the set is reset before this resolves. */
export function runAttempt(
  setup: AttemptSetup,
  announced: AttemptRecord,
  hooks: AttemptHooks,
): Promise<AttemptReport> {
  return new Attempt(setup, announced, hooks).run();
}

/** What is watched for, if anything is. */
function only(expression: TraceExpression | undefined): ReadonlyMap<number, TraceExpression> {
  return new Map(expression === undefined ? [] : [[0, expression]]);
}

function guardText(ms: number): string {
  return `the guard became true: the resets began ${durationText(ms)} after its event arrived`;
}

const NOT_SEEN =
  'it is not known whether the system recovers: the command ended first, and nothing else sends events';

/** The status with which a command says that it can neither pass nor fail, as for `git bisect run`. */
const CANNOT_TELL = 125;

/** Why a command fails an attempt. */
function failureText({ status, signal, lastLines, printed }: CommandExit, output: string): string {
  const ended =
    status === undefined
      ? `${signal} ended the command`
      : `the command ended with status ${status}`;
  const lines = lastLines.length > 0 ? `: ${lastLines.join(' | ')}` : '';
  return `${ended}${lines}${printed ? `; its output is in attempts/${output}` : ''}`;
}

/** After how long a guard is looked at again, however long a look takes: resets must begin within 500 ms. */
const GUARD_PAUSE_MS = 100;

/** The longest time that a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

const NOTHING = { measurements: [], reasons: [], events: 0 };

/** Does what the state machine of an attempt asks for, and reports the results to it. */
class Attempt {
  readonly #setup: AttemptSetup;
  readonly #announced: AttemptRecord;
  readonly #n: number;
  readonly #plan: Plan;
  readonly #hooks: AttemptHooks;
  readonly #files: ReturnType<typeof attemptFiles>;
  readonly #preconditions: readonly (TraceExpression | undefined)[];
  readonly #watches: readonly ReturnType<typeof watchExpressions>[];
  readonly #begun = performance.now();
  #state: AttemptState;
  #events: AttemptEvents | undefined;
  #command: RunningCommand | undefined;
  #commandStarted = false;
  /** Whether the time was over before the command had ended. */
  #timeUp = false;
  /** Whether the command was told to end. */
  #commandTold = false;
  #commandEnd: CommandEnd | undefined;
  /** When what had been injected no longer had to be in force. */
  #overAt: number | undefined;
  readonly #force: ForceWatch;
  #timer: NodeJS.Timeout | undefined;
  /** How long after the arrival of an event the guard made the resets begin. */
  #guardMs: number | undefined;
  /** When everything was reset and the system had to recover, and what came of it. */
  #caughtUp: Promise<void> | undefined;
  #recoveryBegun = 0;
  #recovery: SystemRecovery | undefined;
  /** What was recorded when it was judged. */
  #measured: Pick<MeasuredRecord, 'measurements' | 'reasons' | 'events' | 'lost'> = NOTHING;
  /** Why the journal cannot be written. */
  #unwritten: unknown;
  #settle: (report: AttemptReport) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(setup: AttemptSetup, announced: AttemptRecord, hooks: AttemptHooks) {
    const { space, record } = setup;
    this.#setup = setup;
    this.#announced = announced;
    this.#n = announced.n;
    this.#plan = announced.plan;
    this.#hooks = hooks;
    this.#files = attemptFiles(setup.directory, announced);
    const mutators = announced.plan.map((one) => mutatorOf(space, one));
    this.#force = new ForceWatch(mutators);
    this.#preconditions = mutators.map((one) => space.precondition ?? one?.precondition);
    this.#state = newAttempt({
      waits: this.#preconditions.map((one) => one !== undefined),
      hasCommand: record.command !== undefined,
      recovers: setup.recoveryCheck !== undefined,
      hasSource: setup.source !== undefined,
    });
    const common = {
      recorder: () => this.#window.soFar(),
      onError: (error: unknown) => this.#fail(error),
    };
    const { guardCheck, recoveryCheck } = setup;
    this.#watches = [
      watchExpressions({
        ...common,
        waiting: () => this.#waiting(),
        onTrue: (at) => this.#dispatch({ kind: 'true', at }),
      }),
      watchExpressions({
        ...common,
        waiting: () => only(this.#isGuarded ? guardCheck : undefined),
        onTrue: (_, ms) => {
          this.#guardMs = ms;
          this.#dispatch({ kind: 'guarded' });
        },
        longestPauseMs: GUARD_PAUSE_MS,
      }),
      watchExpressions({
        ...common,
        recorder: () => this.#window.afterResets(),
        waiting: () => only(this.#state.phase === 'recovering' ? recoveryCheck : undefined),
        onTrue: () => this.#endRecovery(true),
      }),
    ];
  }

  /** Whether the guard is looked at: as long as something may be mutated. */
  get #isGuarded(): boolean {
    return isGoingOn(this.#state) && this.#events !== undefined;
  }

  async run(): Promise<AttemptReport> {
    const { signal } = this.#hooks;
    const interrupt = () => this.#dispatch({ kind: 'interrupt' });
    const ended = new Promise<AttemptReport>((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    try {
      const { objective, record, source } = this.#setup;
      const what = this.#announced.baseline ? 'baseline' : 'attempt';
      this.#events = await openAttemptEvents({
        name: `${objective.name}, ${what} ${this.#n}`,
        ...(record.command && { file: this.#files.events }),
        ...(record.budget !== undefined && { budget: record.budget }),
        ...(source && { source }),
        onEvents: () => this.#poll(),
      });
      this.#dispatch({ kind: 'begin' });
      if (signal.aborted) interrupt();
      else signal.addEventListener('abort', interrupt, { once: true });
      return await ended;
    } finally {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(this.#timer);
      for (const watch of this.#watches) watch.stop();
      this.#command?.kill();
      await this.#events?.stop();
    }
  }

  #poll(): void {
    for (const watch of this.#watches) watch.poll();
  }

  get #window() {
    return (this.#events as AttemptEvents).window;
  }

  /** The preconditions that an injection still waits for. */
  #waiting(): ReadonlyMap<number, TraceExpression> {
    const { phase, mutations } = this.#state;
    if (phase !== 'running') return new Map();
    const waiting = this.#preconditions.flatMap((one, at) =>
      one !== undefined && mutations[at] === 'waiting' ? [[at, one] as const] : [],
    );
    return new Map(waiting);
  }

  #dispatch(event: AttemptEvent): void {
    const [state, actions] = advance(this.#state, event);
    if (state.phase !== this.#state.phase) this.#hooks.tell({ kind: 'phase', phase: state.phase });
    this.#state = state;
    for (const action of actions) {
      this.#perform(action).catch((error: unknown) => this.#fail(error));
    }
  }

  async #perform(action: AttemptAction): Promise<void> {
    switch (action.do) {
      case 'inject':
        return this.#inject(action.at);
      case 'start-command':
        return this.#startCommand();
      case 'watch':
        this.#watchFor(this.#setup.record.attemptMs, () => {
          this.#timeUp = true;
          this.#dispatch({ kind: 'time-up' });
        });
        return;
      case 'end-command':
        this.#commandTold = this.#command?.end() ?? false;
        return;
      case 'reset':
        return this.#reset(action.at);
      case 'watch-recovery':
        this.#beginRecovery();
        return;
      case 'end-recovery':
        await this.#drain();
        return this.#lookForRecovery();
      case 'measure':
        return this.#measure();
      case 'finish':
        this.#finish(action.result);
        return;
    }
  }

  #beginRecovery(): void {
    this.#recoveryBegun = performance.now();
    this.#watchFor(this.#setup.record.recovery?.ms ?? 0, () => this.#endRecovery(false));
  }

  /** Starts a timer, and looks at what has come: recovery may show before the last reset was answered. */
  #watchFor(ms: number, onEnd: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onEnd, Math.min(ms, LONGEST_MS));
    this.#poll();
  }

  #endRecovery(recovered: boolean): void {
    if (this.#state.phase !== 'recovering') return;
    this.#recovery = { recovered, ms: Math.round(performance.now() - this.#recoveryBegun) };
    this.#dispatch({ kind: 'recovery-over' });
  }

  /** The last look: what has not been seen by now will not be seen. */
  #lookForRecovery(): void {
    if (this.#state.phase !== 'recovering') return;
    const { recoveryCheck } = this.#setup;
    if (recoveryCheck !== undefined && this.#window.afterResets().isTrue(recoveryCheck)) {
      this.#endRecovery(true);
    } else this.#dispatch({ kind: 'recovery-over', reason: NOT_SEEN });
  }

  /** Writes a step. If that fails, nothing more is begun; what was begun is reset all the same. */
  async #journal(step: Step): Promise<boolean> {
    if (this.#unwritten !== undefined) return false;
    try {
      await this.#hooks.journal(step);
      return true;
    } catch (error) {
      this.#unwritten = error;
      this.#dispatch({ kind: 'interrupt' });
      return false;
    }
  }

  async #inject(at: number): Promise<void> {
    const injection = this.#plan[at] as PlannedInjection;
    const mutation = mutationId(this.#setup.record.id, this.#n, at);
    if (!(await this.#journal({ step: 'inject', n: this.#n, at }))) {
      this.#dispatch({ kind: 'refused', at, reason: 'the journal is not writable', maybe: false });
      return;
    }
    const asked = performance.now();
    const answer = await inject(this.#setup.servers, injection, mutation);
    const time = nowNs();
    if ('reason' in answer) {
      const { outage, held, ...refused } = answer;
      if (outage) this.#force.outage = true;
      if (held) this.#hooks.onHeld(injection.server);
      await this.#journal({ step: 'refused', n: this.#n, at, ...refused });
      this.#dispatch({ kind: 'refused', at, ...refused });
      return;
    }
    this.#force.injected(at, asked, answer.instance);
    const beforeCommand = !this.#commandStarted;
    this.#window.add((recorder) => recorder.injected(injection, at, time, beforeCommand));
    await this.#journal({ step: 'injected', n: this.#n, at });
    this.#hooks.tell({ kind: 'injected', at });
    this.#dispatch({ kind: 'injected', at });
  }

  async #startCommand(): Promise<void> {
    const { record, cwd, env, source } = this.#setup;
    this.#commandStarted = true;
    try {
      this.#command = await startCommand({
        vector: record.command ?? [],
        cwd,
        env: {
          ...env,
          ...source?.env,
          PERTURB_ATTEMPT: this.#announced.baseline
            ? '0'
            : String(record.replay?.attempt ?? this.#n),
          PERTURB_SEED: String(record.seed),
          PERTURB_PLAN: writeJson(planToJson(this.#plan)),
        },
        events: this.#files.events,
        output: this.#files.output,
        guard: this.#setup.guard,
      });
    } catch (error) {
      this.#dispatch({ kind: 'not-started', reason: (error as Error).message });
      return;
    }
    this.#dispatch({ kind: 'started' });
    const exit = await this.#command.ended;
    const { ignoreStatus } = this.#setup.record;
    const { status, signal } = exit;
    const isBad = !ignoreStatus && !this.#commandTold && status !== 0 && status !== CANNOT_TELL;
    const end: CommandEnd = {
      ...defined({ status, signal }),
      timedOut: this.#timeUp && this.#commandTold && this.#recovery === undefined,
      ...(isBad && { failure: failureText(exit, basename(this.#files.output)) }),
    };
    const time = nowNs();
    this.#commandEnd = end;
    this.#window.addLast((recorder) => recorder.commandEnded(end, time));
    const isUntold = !ignoreStatus && status === CANNOT_TELL && !this.#commandTold;
    const reason = `the command ended with status ${CANNOT_TELL}: it could not tell`;
    this.#dispatch(isUntold ? { kind: 'ended', reason } : { kind: 'ended' });
  }

  /** What was recorded before the resets is not a sign of recovery. */
  #untilCaughtUp(): Promise<void> {
    this.#caughtUp ??= (this.#events as AttemptEvents)
      .drain('leave')
      .then(() => this.#window.beginRecovery(nowNs()));
    return this.#caughtUp;
  }

  async #reset(at: number): Promise<void> {
    const injection = this.#plan[at] as PlannedInjection;
    const phase = this.#state.mutations[at];
    if (this.#state.recovers && !this.#state.guarded) await this.#untilCaughtUp();
    const asked = nowNs();
    this.#overAt ??= performance.now();
    const mayBeMutated = phase !== 'waiting' && phase !== 'refused';
    const { servers, bench } = this.#setup;
    const patience = { ms: this.#setup.patience(), signal: this.#hooks.signal };
    const answer = await reset(servers, injection, mayBeMutated ? patience : undefined);
    const failed = 'failed' in answer ? answer.failed : undefined;
    if ('heldSince' in answer) this.#hooks.onHeld(injection.server);
    if (phase === 'active' && !('failed' in answer)) {
      const goesOn = this.#state.recovers;
      const entry = (recorder: Recorder) => recorder.reset(injection, at, asked, goesOn);
      if (goesOn) this.#window.add(entry);
      else this.#window.addLast(entry);
      this.#force.reset(at, answer, this.#overAt);
    }
    // What was not mutated is not left mutated either.
    const left = mayBeMutated ? failed : undefined;
    await this.#journal({ step: 'reset', n: this.#n, at, ...defined({ bench, failed: left }) });
    this.#hooks.tell({ kind: 'reset', at });
    this.#dispatch({ kind: 'reset', at, ...defined({ failed }) });
  }

  /** Takes what has arrived by now; a line in which the command was ended does not count as lost. */
  async #drain(): Promise<void> {
    await this.#events?.drain(this.#commandTold ? 'if-event' : 'take');
  }

  async #measure(): Promise<void> {
    await this.#drain();
    const recorder = this.#window.finish();
    const baseline = await this.#setup.baseline();
    const judgement = this.#judge(recorder, baseline);
    if (judgement === undefined) return this.#dispatch({ kind: 'unmeasured' });
    const { outcome, measurements, reasons } = judgement;
    const unsaved = await writeAnew(this.#files.session, recorder.text()).then(
      () => [],
      (error: unknown) => [`the session could not be written: ${String(error)}`],
    );
    const { events, problemCount: lost } = recorder;
    this.#measured = {
      ...{ measurements, reasons: [...reasons, ...unsaved], events },
      ...(lost > 0 && { lost }),
    };
    this.#dispatch({ kind: 'measured', outcome });
  }

  /** Judges what was recorded; undefined where it was interrupted. */
  #judge(recorder: Recorder, baseline: readonly Session[]): Judgement | undefined {
    if (this.#hooks.signal.aborted) return undefined;
    const { record, objective } = this.#setup;
    const waiting = this.#plan.filter((_, at) => this.#state.mutations[at] === 'waiting');
    const circumstances = {
      record,
      attempt: this.#announced,
      waiting: waiting.map(({ name }) => name),
      unread: this.#events?.problem(),
      notInForce: this.#force.doubts,
      failures: failuresBeside(this.#beside).map(([, text]) => text),
      baseline,
    };
    try {
      return interruptible(() => judge(objective, recorder, circumstances));
    } catch (error) {
      if (error instanceof Interrupted) return undefined;
      throw error;
    }
  }

  /** What is known in addition to the measurements. */
  get #beside(): Pick<MeasuredRecord, 'command' | 'recovery'> {
    return defined({ command: this.#commandEnd, recovery: this.#recovery });
  }

  #finish(result: AttemptResult): void {
    if (this.#unwritten !== undefined) {
      const stuck = result.kind === 'stuck' ? result.stuck.map(({ at }) => at) : [];
      this.#settle({ kind: 'unwritten', error: this.#unwritten, stuck });
    } else if (result.kind !== 'measured') this.#settle(result);
    else {
      const guardMs = this.#guardMs;
      const guarded = guardMs === undefined ? [] : [guardText(guardMs)];
      this.#settle({
        kind: 'measured',
        result: {
          outcome: result.outcome,
          ...this.#measured,
          reasons: [...guarded, ...result.reasons, ...this.#measured.reasons],
          ms: Math.round(performance.now() - this.#begun),
          ...this.#beside,
          ...defined({ guardMs }),
          ...(this.#force.outage && { outage: true }),
        },
      });
    }
  }
}
