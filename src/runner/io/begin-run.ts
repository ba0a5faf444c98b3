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
  type ActiveMutation,
  applyRecord,
  type RunState,
  serverAt,
  stateOf,
} from '../journal/run-state.js';
import type { Space } from '../plan/space.js';
import { PLANNER_VERSION } from '../plan/strategies.js';
import { RunError } from '../run-error.js';
import { attemptFiles, MAX_SEARCHES, TOKEN_VARIABLE } from './command.js';
import { type RetryTimeout, reset, type Servers } from './servers.js';

/** Steps whose records have no time. Within an attempt, only the first and last records have a time. */
const UNTIMED_STEPS: ReadonlySet<JournalRecord['step']> = new Set([
  'setup',
  'teardown',
  'inject',
  'injected',
  'refused',
  'reset',
]);

/** A run's state. Includes a step only after the step was written to the journal. */
export class JournaledState {
  readonly #journal: Journal;
  #state: RunState;
  /** Writes in progress. */
  readonly #pending = new Set<Promise<void>>();
  /** The clock at the start of this process's first attempt, and the run's elapsed time at that moment. */
  #clockStart: { readonly at: number; readonly elapsed: number } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#state = stateOf(journal.records);
  }

  get current(): RunState {
    return this.#state;
  }

  /** Starts the run's clock with the first attempt. */
  startClock(): void {
    this.#clockStart ??= { at: performance.now(), elapsed: this.#state.elapsed };
  }

  /** Writes a step. Rejects with a RunError if the journal cannot be written. */
  async write(step: JournalRecord): Promise<void> {
    const stamp = UNTIMED_STEPS.has(step.step)
      ? undefined
      : { time: Date.now(), elapsed: this.#elapsed() };
    const record: JournalRecord = { ...step, ...stamp };
    const write = this.#journal.add(record).then(() => {
      this.#state = applyRecord(this.#state, record);
    });
    this.#pending.add(write);
    await write.finally(() => this.#pending.delete(write));
  }

  /**
   * Resolves when the state includes all pending writes. A step written immediately afterwards directly follows those
   * writes.
   */
  async waitForWrites(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Ends the run, even if the journal cannot be written. */
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
    if (this.#clockStart === undefined) return this.#state.elapsed;
    return Math.round(this.#clockStart.elapsed + performance.now() - this.#clockStart.at);
  }
}

/** Inputs for beginning or continuing a run. */
interface BeginSetup {
  /** The absolute path of the run's directory. */
  readonly out: string;
  /** True to continue an existing run in the directory. */
  readonly resume: boolean;
  /** The journal's first record. */
  readonly record: RunRecord;
}

/**
 * Writes a new run to the journal. Call this function before acquiring leases, because a resumed run reads the leases'
 * owner from the journal. Rejects with a RunError if the directory contains a run that must not be continued.
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

/** Records that a run is resumed. Rejects with a RunError if the run was planned by another planner version. */
export async function continueRun(
  { out, record }: BeginSetup,
  state: JournaledState,
): Promise<void> {
  const { planner = 1 } = state.current.run ?? {};
  if (planner !== PLANNER_VERSION) {
    const detail = `its sets were chosen by planner ${planner}, and this version has planner ${PLANNER_VERSION}`;
    throw new RunError('other-version', out, detail);
  }
  await state.write({ step: 'resumed', ...defined({ benches: record.benches }) });
}

/** The outcome of a mutator's reset. */
interface ResetOutcome extends ActiveMutation {
  /** The reason if the reset failed. */
  readonly failed?: string;
}

/** Resets the mutators of mutations that may be active. */
export function resetAll(
  servers: Servers,
  activeMutations: readonly ActiveMutation[],
  patience: RetryTimeout = { ms: 0 },
): Promise<readonly ResetOutcome[]> {
  return Promise.all(
    activeMutations.map(async (mutation) => {
      const answer = await reset(servers, mutation, patience);
      return 'failed' in answer ? { ...mutation, failed: answer.failed } : mutation;
    }),
  );
}

/** Ends the commands left running by a killed run. */
export async function endCommands(directory: string, { openAttempts }: RunState): Promise<void> {
  if (openAttempts.length === 0) return;
  const values = openAttempts.map((attempt) => attemptFiles(directory, attempt).events);
  await endOrphanProcesses({ variable: TOKEN_VARIABLE, values, rounds: MAX_SEARCHES });
}

/** Resets mutators left mutated, and records the resets. @returns the mutators whose reset failed */
export async function resetRemaining(
  servers: Servers,
  state: JournaledState,
  activeMutations: readonly ActiveMutation[],
  patience: RetryTimeout,
): Promise<readonly ResetOutcome[]> {
  const outcomes = await resetAll(servers, activeMutations, patience);
  for (const { n, at, bench, failed } of outcomes) {
    await state.write({ step: 'reset', n, at, ...defined({ bench, failed }) });
  }
  return outcomes.filter(({ failed }) => failed !== undefined);
}

/** Returns the run's end if any reset failed. */
export function toResetFailure(failures: readonly ResetOutcome[]): End | undefined {
  const detail = failures.map(({ name, failed }) => `${name}: ${failed}`).join('; ');
  return failures.length === 0 ? undefined : { reason: 'reset-failed', detail };
}

/** Hooks for cleaning up after a run. */
interface AbandonHooks {
  /**
   * Returns a server's client without connecting. Rejects if the server is unknown.
   *
   * @param run the run's id, if the journal contains an id
   */
  readonly clientFor: (server: string, run: string | undefined) => Promise<MutatorClient>;
  /** Returns the space of a run's mutation sets. */
  readonly spaceOf: (run: RunRecord) => Space;
  readonly onBegin: (activeMutations: readonly ActiveMutation[]) => void;
}

/**
 * Cleans up after a run that cannot be continued, based on the readable part of its journal: ends commands, resets
 * mutators, then releases leases. Resets the mutators whose mutation was announced and not reset or, if the journal is
 * damaged, all of the run's mutators. Does nothing while another process executes the run.
 */
export async function abandonRun(
  directory: string,
  { clientFor, spaceOf, onBegin }: AbandonHooks,
): Promise<readonly ResetOutcome[]> {
  const { records, damage } = await salvageJournal(directory);
  const { run, activeMutations: announcedMutations } = stateOf(records);
  const activeMutations =
    damage === undefined ? announcedMutations : listMutable(records, run, spaceOf);
  if (activeMutations.length === 0) return [];
  const lock = await lockDirectory(directory, 'run').catch((error: unknown) => {
    if (!(error instanceof LockError)) throw error;
    return error.code;
  });
  if (lock === 'in-use') return [];
  onBegin(activeMutations);
  try {
    const events = activeMutations.map(
      (mutation) => attemptFiles(join(directory, 'attempts'), { n: mutation.n }).events,
    );
    await endOrphanProcesses({ variable: TOKEN_VARIABLE, values: events, rounds: MAX_SEARCHES });
    const servers = new Map<string, MutatorClient>();
    const connectionErrors = new Map<string, string>();
    for (const server of new Set(activeMutations.map((mutation) => mutation.server))) {
      await clientFor(server, run?.id).then(
        (client) => servers.set(server, client),
        (error: Error) => connectionErrors.set(server, error.message),
      );
    }
    const reachableMutations = activeMutations.filter(({ server }) => servers.has(server));
    const outcomes = await resetAll(servers, reachableMutations);
    const successes = outcomes.filter(({ failed }) => failed === undefined);
    for (const server of run === undefined
      ? []
      : new Set(successes.map((mutation) => mutation.server))) {
      const client = servers.get(server);
      await client?.lease('end').catch(() => {});
    }
    const unreachableMutations = activeMutations.flatMap((mutation) => {
      const failure = connectionErrors.get(mutation.server);
      return failure === undefined ? [] : [{ ...mutation, failed: failure }];
    });
    return [...outcomes, ...unreachableMutations];
  } finally {
    if (typeof lock === 'object') await lock.unlock();
  }
}

/** Returns all mutators in a run's space or journal, without duplicates. */
function listMutable(
  records: readonly JournalRecord[],
  run: RunRecord | undefined,
  spaceOf: AbandonHooks['spaceOf'],
): readonly ActiveMutation[] {
  const mutators = new Map<string, ActiveMutation>();
  const add = (
    bench: string | undefined,
    serverName: string,
    mutation: Omit<ActiveMutation, 'server'>,
  ) => {
    const server = serverAt(run, bench, serverName);
    mutators.set(JSON.stringify([server, mutation.id]), { ...mutation, server });
  };
  for (const bench of run?.benches?.map((bench) => bench.name) ?? [undefined]) {
    for (const { server, id, name } of run === undefined ? [] : spaceOf(run).mutators) {
      add(bench, server, { id, name, n: 0, at: 0 });
    }
  }
  for (const record of records) {
    if (record.step !== 'attempt') continue;
    for (const [position, { server, id, name }] of record.plan.entries()) {
      add(record.bench, server, { id, name, n: record.n, at: position });
    }
  }
  return [...mutators.values()];
}

/**
 * Creates and locks a run's directory. Rejects with a RunError.
 *
 * @returns a function that unlocks the directory
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
