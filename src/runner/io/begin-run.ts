import { join } from 'node:path';
import {
  codeOf,
  endOrphanProcesses,
  LockError,
  lockDirectory,
  makeDirectory,
} from '../../durable/index.js';
import type { MutatorClient } from '../../mutators/index.js';
import { defined } from '../../values/index.js';
import type { End } from '../attempt/stopping.js';
import { type Journal, salvageJournal } from '../journal/journal.js';
import type { JournalRecord, RunRecord } from '../journal/records.js';
import {
  applyRecord,
  type InForce,
  type RunState,
  serverAt,
  stateOf,
} from '../journal/run-state.js';
import type { Space } from '../plan/space.js';
import { PLANNER } from '../plan/strategies.js';
import { RunError } from '../run-error.js';
import { attemptFiles, ROUNDS, TOKEN } from './command.js';
import { type Patience, reset, type Servers } from './servers.js';

/** The steps within an attempt: only the records at its beginning and end have the time. */
const UNTIMED: ReadonlySet<JournalRecord['step']> = new Set([
  'setup',
  'teardown',
  'inject',
  'injected',
  'refused',
  'reset',
]);

/** The state of a run. A step counts once it is in the journal. */
export class JournaledState {
  readonly #journal: Journal;
  #state: RunState;
  /** Writes in progress. */
  readonly #pending = new Set<Promise<void>>();
  /** The clock when the attempts of this process began, and the elapsed time by then. */
  #begun: { readonly at: number; readonly elapsed: number } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#state = stateOf(journal.records);
  }

  get current(): RunState {
    return this.#state;
  }

  /** Starts the run's clock with the first attempt. */
  startClock(): void {
    this.#begun ??= { at: performance.now(), elapsed: this.#state.elapsed };
  }

  /** Rejects with a RunError if the step cannot be written. */
  async write(step: JournalRecord): Promise<void> {
    const stamp = UNTIMED.has(step.step)
      ? undefined
      : { time: Date.now(), elapsed: this.#elapsed() };
    const record: JournalRecord = { ...step, ...stamp };
    const written = this.#journal.add(record).then(() => {
      this.#state = applyRecord(this.#state, record);
    });
    this.#pending.add(written);
    await written.finally(() => this.#pending.delete(written));
  }

  /** Resolves when the state includes all writes. A step written immediately afterwards comes right after them. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Ends the run, even if the journal can no longer be written. */
  async end(end: End): Promise<RunState> {
    try {
      await this.write({ step: 'end', ...end });
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#state = { ...this.#state, end: { step: 'end', ...end } };
    }
    return this.#state;
  }

  #elapsed(): number {
    if (this.#begun === undefined) return this.#state.elapsed;
    return Math.round(this.#begun.elapsed + performance.now() - this.#begun.at);
  }
}

/** The inputs of a run's beginning or continuation. */
interface BeginSetup {
  /** The run's directory, absolute. */
  readonly out: string;
  /** True if the directory may hold a run, which is then continued. */
  readonly resume: boolean;
  /** The first record of the journal. */
  readonly record: RunRecord;
}

/**
 * Writes a new run to the journal, before a server gives the run a lease: a continuation then knows the name of the
 * lease's owner. Rejects with a RunError if the directory holds a run that is not to be continued.
 *
 * @returns true if the run is new
 */
export async function announceRun(
  { out, resume, record }: BeginSetup,
  state: JournaledState,
): Promise<boolean> {
  const isNew = state.current.run === undefined;
  if (isNew) await state.write(record);
  else if (!resume) throw new RunError('holds-run', out);
  return isNew;
}

/** Records in the journal that a run continues. Rejects with a RunError if another version planned it. */
export async function continueRun(
  { out, record }: BeginSetup,
  state: JournaledState,
): Promise<void> {
  const { planner = 1 } = state.current.run ?? {};
  if (planner !== PLANNER) {
    const detail = `its sets were chosen by planner ${planner}, and this version has planner ${PLANNER}`;
    throw new RunError('other-version', out, detail);
  }
  await state.write({ step: 'resumed', ...defined({ benches: record.benches }) });
}

/** A mutator that had to be reset. */
interface ResetOutcome extends InForce {
  /** The reason if it could not be reset. */
  readonly failed?: string;
}

/** Resets everything that may be in force. */
export function resetAll(
  servers: Servers,
  inForce: readonly InForce[],
  patience: Patience = { ms: 0 },
): Promise<readonly ResetOutcome[]> {
  return Promise.all(
    inForce.map(async (one) => {
      const answer = await reset(servers, one, patience);
      return 'failed' in answer ? { ...one, failed: answer.failed } : one;
    }),
  );
}

/** Ends the commands that a killed run has left running. */
export async function endCommandsOf(directory: string, { open }: RunState): Promise<void> {
  if (open.length === 0) return;
  const values = open.map((one) => attemptFiles(directory, one).events);
  await endOrphanProcesses({ variable: TOKEN, values, rounds: ROUNDS });
}

/** Resets mutators that were left mutated, and records it. @returns those that could not be reset */
export async function resetLeft(
  servers: Servers,
  state: JournaledState,
  inForce: readonly InForce[],
  patience: Patience,
): Promise<readonly ResetOutcome[]> {
  const outcomes = await resetAll(servers, inForce, patience);
  for (const { n, at, bench, failed } of outcomes) {
    await state.write({ step: 'reset', n, at, ...defined({ bench, failed }) });
  }
  return outcomes.filter(({ failed }) => failed !== undefined);
}

/** Returns the end of a run whose mutators could not be reset; undefined if there is none. */
export function notReset(left: readonly ResetOutcome[]): End | undefined {
  const detail = left.map(({ name, failed }) => `${name}: ${failed}`).join('; ');
  return left.length === 0 ? undefined : { reason: 'reset-failed', detail };
}

/** The hooks for resetting the mutators that a run has left. */
interface AbandonHooks {
  /**
   * Opens no connection. Rejects if there is no such server.
   *
   * @param run the id of the run, if its journal has it
   */
  readonly clientFor: (server: string, run: string | undefined) => Promise<MutatorClient>;
  /** Returns the space that a run may mutate. */
  readonly spaceOf: (run: RunRecord) => Space;
  readonly onBegin: (inForce: readonly InForce[]) => void;
}

/**
 * Ends and resets everything that a run which cannot be continued may have left, as far as its journal can be read:
 * the mutations that were announced and not reset; if it is damaged, all mutators of the run. Then releases its
 * leases. Does nothing while another process executes the run.
 */
export async function abandonRun(
  out: string,
  { clientFor, spaceOf, onBegin }: AbandonHooks,
): Promise<readonly ResetOutcome[]> {
  const { records, damage } = await salvageJournal(out);
  const { run, inForce: announced } = stateOf(records);
  const inForce = damage === undefined ? announced : mutableIn(records, run, spaceOf);
  if (inForce.length === 0) return [];
  const lock = await lockDirectory(out, 'run').catch((error: unknown) => {
    if (!(error instanceof LockError)) throw error;
    return error.code;
  });
  if (lock === 'in-use') return [];
  onBegin(inForce);
  try {
    const events = inForce.map((one) => attemptFiles(join(out, 'attempts'), { n: one.n }).events);
    await endOrphanProcesses({ variable: TOKEN, values: events, rounds: ROUNDS });
    const servers = new Map<string, MutatorClient>();
    const unknown = new Map<string, string>();
    for (const server of new Set(inForce.map((one) => one.server))) {
      await clientFor(server, run?.id).then(
        (client) => servers.set(server, client),
        (error: Error) => unknown.set(server, error.message),
      );
    }
    const known = inForce.filter(({ server }) => servers.has(server));
    const outcomes = await resetAll(servers, known);
    const answered = outcomes.filter(({ failed }) => failed === undefined);
    for (const server of run === undefined ? [] : new Set(answered.map((one) => one.server))) {
      const client = servers.get(server);
      await client?.lease('end').catch(() => {});
    }
    const lost = inForce.flatMap((one) => {
      const failed = unknown.get(one.server);
      return failed === undefined ? [] : [{ ...one, failed }];
    });
    return [...outcomes, ...lost];
  } finally {
    if (typeof lock === 'object') await lock.unlock();
  }
}

/** Returns every mutator that a run may mutate, and every one that its journal names, once. */
function mutableIn(
  records: readonly JournalRecord[],
  run: RunRecord | undefined,
  spaceOf: AbandonHooks['spaceOf'],
): readonly InForce[] {
  const found = new Map<string, InForce>();
  const add = (bench: string | undefined, called: string, one: Omit<InForce, 'server'>) => {
    const server = serverAt(run, bench, called);
    found.set(JSON.stringify([server, one.id]), { ...one, server });
  };
  for (const bench of run?.benches?.map((bench) => bench.name) ?? [undefined]) {
    for (const { server, id, name } of run === undefined ? [] : spaceOf(run).mutators) {
      add(bench, server, { id, name, n: 0, at: 0 });
    }
  }
  for (const record of records) {
    if (record.step !== 'attempt') continue;
    for (const [at, { server, id, name }] of record.plan.entries()) {
      add(record.bench, server, { id, name, n: record.n, at });
    }
  }
  return [...found.values()];
}

/**
 * Creates the directory of a run, and locks it. Rejects with a RunError.
 *
 * @returns a function that unlocks it
 */
export async function lockRun(directory: string): Promise<() => Promise<void>> {
  try {
    await makeDirectory(directory);
    const { unlock, unusable } = await lockDirectory(directory, 'run');
    if (unusable !== undefined) throw unusable;
    return unlock;
  } catch (error) {
    if (error instanceof LockError) {
      const code = error.code === 'not-usable' ? 'no-directory' : error.code;
      throw new RunError(code, directory, error.detail);
    }
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new RunError('no-directory', directory, code);
  }
}
