import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJson } from '../../mutators/index.js';
import type { Objective, TraceExpression } from '../../objective/index.js';
import { SessionError } from '../../session/index.js';
import type { MeasurementResult, Outcome, Step } from '../journal/records.js';
import {
  type AttemptAction,
  type AttemptEvent,
  type AttemptResult,
  type AttemptState,
  advance,
  newAttempt,
  wasSkipped,
} from '../loop/attempt.js';
import { measure } from '../loop/judge.js';
import { outcomeOf } from '../loop/outcome.js';
import { type Plan, type PlannedInjection, planToJson } from '../plan/plan.js';
import type { Recorder } from '../record/recorder.js';
import { Tape } from '../record/tape.js';
import { nowNs } from './clock.js';
import { type RunningCommand, startCommand } from './command.js';
import { followFile, type GrowingFile } from './growing-file.js';
import type { Guard } from './guard.js';
import { mutationId } from './mutation-id.js';
import type { Listening, OpenSource } from './open-source.js';
import { inject, reset, type Servers } from './servers.js';

/** What attempts are made with. */
export interface AttemptSetup {
  readonly run: string;
  readonly seed: bigint;
  readonly objective: Objective;
  /** The precondition of each mutator, by server and id; none where the objective has none. */
  readonly preconditionOf: (injection: PlannedInjection) => TraceExpression | undefined;
  readonly servers: Servers;
  /** The directory of the attempts' files, absolute. */
  readonly directory: string;
  readonly command?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly source?: OpenSource;
  readonly attemptMs: number;
  readonly guard: Guard;
}

/** What goes on in an attempt, for a terminal. */
export type AttemptNews =
  | { readonly kind: 'phase'; readonly phase: AttemptState['phase'] }
  | { readonly kind: 'injected' | 'reset'; readonly at: number };

export interface AttemptHooks {
  /** Writes a step to the journal. Rejects when it cannot be written. */
  readonly journal: (step: Step) => Promise<void>;
  readonly tell: (news: AttemptNews) => void;
  /** Aborted when the attempt is not to go on. */
  readonly signal: AbortSignal;
}

/** What an attempt has come to. */
export type AttemptReport =
  | {
      readonly kind: 'measured';
      readonly outcome: Outcome;
      readonly reasons: readonly string[];
      readonly measurements: readonly MeasurementResult[];
      readonly events: number;
      readonly ms: number;
    }
  | Exclude<AttemptResult, { readonly kind: 'measured' }>
  /** The journal cannot be written; all was reset that could be. */
  | { readonly kind: 'unwritten'; readonly error: unknown; readonly stuck: readonly number[] };

/** Where the session of an attempt is, and what it is made of. */
export function attemptFiles(directory: string, n: number) {
  return {
    session: join(directory, `${n}.jsonl`),
    /** What the command writes. */
    events: join(directory, `${n}.events.jsonl`),
    output: join(directory, `${n}.output`),
  };
}

/** The variable by which the processes of an attempt are known. */
export const TOKEN = 'PERTURB_SESSION';

/** Makes one attempt. Whatever happens, every mutator of the set is reset before this resolves. */
export function runAttempt(
  setup: AttemptSetup,
  n: number,
  plan: Plan,
  hooks: AttemptHooks,
): Promise<AttemptReport> {
  return new Attempt(setup, n, plan, hooks).run();
}

class Attempt {
  readonly #setup: AttemptSetup;
  readonly #n: number;
  readonly #plan: Plan;
  readonly #hooks: AttemptHooks;
  readonly #tape: Tape;
  readonly #files: ReturnType<typeof attemptFiles>;
  readonly #preconditions: readonly (TraceExpression | undefined)[];
  readonly #begun = performance.now();
  #state: AttemptState;
  #command: RunningCommand | undefined;
  #commandStarted = false;
  #tail: GrowingFile | undefined;
  #listening: Listening | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  /** How long to wait before the preconditions are looked at again. */
  #pauseMs = 0;
  /** Something has come while they were looked at. */
  #checkAgain = false;
  #measurements: readonly MeasurementResult[] = [];
  #reasons: string[] = [];
  #events = 0;
  /** The journal cannot be written. */
  #unwritten: unknown;
  #settle: (report: AttemptReport) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(setup: AttemptSetup, n: number, plan: Plan, hooks: AttemptHooks) {
    this.#setup = setup;
    this.#n = n;
    this.#plan = plan;
    this.#hooks = hooks;
    this.#tape = new Tape(`${setup.objective.name}, attempt ${n}`);
    this.#files = attemptFiles(setup.directory, n);
    this.#preconditions = plan.map(setup.preconditionOf);
    this.#state = newAttempt({
      waits: this.#preconditions.map((one) => one !== undefined),
      hasCommand: setup.command !== undefined,
    });
  }

  async run(): Promise<AttemptReport> {
    const { signal } = this.#hooks;
    const interrupt = () => this.#dispatch({ kind: 'interrupt' });
    const ended = new Promise<AttemptReport>((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    try {
      await this.#listen();
      this.#dispatch({ kind: 'begin' });
      if (signal.aborted) interrupt();
      else signal.addEventListener('abort', interrupt, { once: true });
      return await ended;
    } finally {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(this.#timer);
      clearTimeout(this.#checking);
      this.#command?.kill();
      await this.#stopListening();
    }
  }

  async #listen(): Promise<void> {
    const { command, source } = this.#setup;
    if (command !== undefined) {
      // What an interrupted attempt has left there is not of this one.
      await writeFile(this.#files.events, '');
      this.#tail = await followFile(this.#files.events, 'start', (lines) =>
        this.#receive('command', lines),
      );
    }
    this.#listening = await source?.listen({
      lines: (lines) => this.#receive('source', lines),
      otlp: (document) => {
        this.#tape.receiveOtlp(document);
        this.#look();
      },
    });
  }

  async #stopListening(): Promise<void> {
    await this.#tail?.stop();
    await this.#listening?.stop();
  }

  #receive(origin: 'command' | 'source', lines: readonly string[]): void {
    this.#tape.receive(origin, lines);
    this.#look();
  }

  /** There is something new that a precondition may be true of. */
  #look(): void {
    if (this.#state.phase === 'running' && this.#waits()) this.#checkSoon(0);
  }

  #waits(): boolean {
    return this.#state.mutations.includes('waiting');
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
        this.#timer = setTimeout(
          () => this.#dispatch({ kind: 'time-up' }),
          Math.min(this.#setup.attemptMs, 2 ** 31 - 1),
        );
        if (this.#waits()) this.#checkSoon(0);
        return;
      case 'end-command':
        this.#command?.end();
        return;
      case 'reset':
        return this.#reset(action.at);
      case 'measure':
        return this.#measure();
      case 'finish':
        return this.#finish(action.result);
    }
  }

  /** Writes a step. When that fails, nothing more is begun; what was begun is reset all the same. */
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
    const mutation = mutationId(this.#setup.run, this.#n, at);
    if (!(await this.#journal({ step: 'inject', n: this.#n, at, mutation }))) {
      this.#dispatch({ kind: 'refused', at, reason: 'the journal is not writable', maybe: false });
      return;
    }
    const refused = await inject(this.#setup.servers, { ...injection, mutation });
    const time = nowNs();
    if (refused !== undefined) {
      await this.#journal({ step: 'refused', n: this.#n, at, ...refused });
      this.#reasons.push(refused.reason);
      this.#dispatch({ kind: 'refused', at, ...refused });
      return;
    }
    this.#tape.injected(injection, at, time, !this.#commandStarted);
    await this.#journal({ step: 'injected', n: this.#n, at });
    this.#hooks.tell({ kind: 'injected', at });
    this.#dispatch({ kind: 'injected', at });
  }

  async #startCommand(): Promise<void> {
    const { seed, command = [], cwd, env, guard } = this.#setup;
    this.#commandStarted = true;
    try {
      this.#command = await startCommand(
        {
          vector: command,
          cwd,
          env: {
            ...env,
            ...this.#setup.source?.env,
            [TOKEN]: this.#files.events,
            PERTURB_ATTEMPT: String(this.#n),
            PERTURB_SEED: String(seed),
            PERTURB_PLAN: writeJson(planToJson(this.#plan)),
          },
          token: TOKEN,
          output: this.#files.output,
        },
        guard,
      );
    } catch (error) {
      const reason = (error as Error).message;
      this.#reasons.push(reason);
      this.#dispatch({ kind: 'not-started', reason });
      return;
    }
    this.#dispatch({ kind: 'started' });
    await this.#command.ended;
    this.#dispatch({ kind: 'ended' });
  }

  #checkSoon(ms: number): void {
    if (this.#checking !== undefined) {
      this.#checkAgain = true;
      return;
    }
    this.#checkAgain = false;
    this.#checking = setTimeout(
      () => {
        this.#check().catch((error: unknown) => this.#fail(error));
      },
      Math.max(ms, this.#pauseMs),
    );
  }

  async #check(): Promise<void> {
    const begun = performance.now();
    const found = await this.#findTrue();
    // Looking must not take the machine away from the system that is looked at.
    this.#pauseMs = (performance.now() - begun) * 4;
    this.#checking = undefined;
    if (found.length > 0) this.#dispatch({ kind: 'true', at: found });
    if (this.#checkAgain) this.#look();
  }

  async #findTrue(): Promise<readonly number[]> {
    if (this.#state.phase !== 'running') return [];
    const waiting = this.#state.mutations.flatMap((one, at) => (one === 'waiting' ? [at] : []));
    try {
      const recorder = await this.#tape.soFar();
      return waiting.filter((at) => recorder.isTrue(this.#preconditions[at] as TraceExpression));
    } catch (error) {
      // Events that have no order yet may get one.
      if (error instanceof SessionError) return [];
      throw error;
    }
  }

  async #reset(at: number): Promise<void> {
    const injection = this.#plan[at] as PlannedInjection;
    const phase = this.#state.mutations[at];
    const asked = nowNs();
    const mayBeMutated = phase !== 'waiting' && phase !== 'refused';
    const { server, id } = injection;
    const failed = await reset(this.#setup.servers, server, id, mayBeMutated);
    if (phase === 'active' && failed === undefined) this.#tape.reset(injection, at, asked);
    await this.#journal({
      step: 'reset',
      n: this.#n,
      at,
      // What was not mutated is not left mutated either.
      ...(failed !== undefined && mayBeMutated && { failed }),
    });
    this.#hooks.tell({ kind: 'reset', at });
    this.#dispatch({ kind: 'reset', at, ...(failed !== undefined && { failed }) });
  }

  async #measure(): Promise<void> {
    await this.#tail?.drain(true);
    await this.#listening?.drain();
    const recorder = await this.#tape.finish();
    this.#events = recorder.events;
    const outcome = this.#judge(recorder);
    await writeFile(this.#files.session, recorder.text()).catch((error: unknown) => {
      this.#reasons.push(`the session could not be written: ${String(error)}`);
    });
    this.#dispatch({ kind: 'measured', outcome });
  }

  #judge(recorder: Recorder): Outcome {
    const { events, problems, problemCount } = recorder;
    if (problemCount > 0) {
      this.#reasons.push(`${problemCount} lines were not events: ${problems.join('; ')}`);
    }
    if (events === 0) {
      this.#reasons.push('no event arrived');
      return 'inconclusive';
    }
    if (wasSkipped(this.#state)) {
      const waiting = this.#plan.filter((_, at) => this.#state.mutations[at] === 'waiting');
      const names = waiting.map(({ name }) => name).join(', ');
      this.#reasons.push(`the precondition of ${names} never became true`);
      return 'skipped';
    }
    try {
      this.#measurements = measure(this.#setup.objective, recorder.session());
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      this.#reasons.push(`the events have no order: ${error.message}`);
      return 'inconclusive';
    }
    for (const { name, status, reason } of this.#measurements) {
      if (status === 'undecided') this.#reasons.push(`${name}: ${reason ?? 'undecided'}`);
    }
    return outcomeOf(this.#measurements);
  }

  async #finish(result: AttemptResult): Promise<void> {
    if (this.#unwritten !== undefined) {
      const stuck = result.kind === 'stuck' ? result.stuck.map(({ at }) => at) : [];
      this.#settle({ kind: 'unwritten', error: this.#unwritten, stuck });
    } else if (result.kind === 'measured') {
      this.#settle({
        kind: 'measured',
        outcome: result.outcome,
        reasons: this.#reasons,
        measurements: this.#measurements,
        events: this.#events,
        ms: Math.round(performance.now() - this.#begun),
      });
    } else this.#settle(result);
  }
}
