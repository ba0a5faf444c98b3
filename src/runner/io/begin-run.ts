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
import { PLANNER } from '../plan/strategies.js';
import { RunError } from '../run-error.js';
import { attemptFiles, ROUNDS, TOKEN } from './command.js';
import { type Patience, reset, type Servers } from './servers.js';

/** The steps within an attempt: only the records at its beginning and end have the time. */
const UNTIMED_STEPS: ReadonlySet<JournalRecord['step']> = new Set([
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

  /** Rejects with a RunError if the step cannot be written. */
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

  /** Resolves when the state includes all writes. A step written immediately afterwards comes right after them. */
  async waitForWrites(): Promise<void> {
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
    if (this.#clockStart === undefined) return this.#state.elapsed;
    return Math.round(this.#clockStart.elapsed + performance.now() - this.#clockStart.at);
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
interface ResetOutcome extends ActiveMutation {
  /** The reason if it could not be reset. */
  readonly failed?: string;
}

/** Resets everything that may be in force. */
export function resetAll(
  servers: Servers,
  activeMutations: readonly ActiveMutation[],
  patience: Patience = { ms: 0 },
): Promise<readonly ResetOutcome[]> {
  return Promise.all(
    activeMutations.map(async (mutation) => {
      const answer = await reset(servers, mutation, patience);
      return 'failed' in answer ? { ...mutation, failed: answer.failed } : mutation;
    }),
  );
}

/** Ends the commands that a killed run has left running. */
export async function endCommands(directory: string, { openAttempts }: RunState): Promise<void> {
  if (openAttempts.length === 0) return;
  const values = openAttempts.map((attempt) => attemptFiles(directory, attempt).events);
  await endOrphanProcesses({ variable: TOKEN, values, rounds: ROUNDS });
}

/** Resets mutators that were left mutated, and records it. @returns those that could not be reset */
export async function resetRemaining(
  servers: Servers,
  state: JournaledState,
  activeMutations: readonly ActiveMutation[],
  patience: Patience,
): Promise<readonly ResetOutcome[]> {
  const outcomes = await resetAll(servers, activeMutations, patience);
  for (const { n, at, bench, failed } of outcomes) {
    await state.write({ step: 'reset', n, at, ...defined({ bench, failed }) });
  }
  return outcomes.filter(({ failed }) => failed !== undefined);
}

/** Returns the end of a run whose mutators could not be reset; undefined if there is none. */
export function toResetFailure(failures: readonly ResetOutcome[]): End | undefined {
  const detail = failures.map(({ name, failed }) => `${name}: ${failed}`).join('; ');
  return failures.length === 0 ? undefined : { reason: 'reset-failed', detail };
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
  readonly onBegin: (activeMutations: readonly ActiveMutation[]) => void;
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
  const { run, activeMutations: announcedMutations } = stateOf(records);
  const activeMutations =
    damage === undefined ? announcedMutations : listMutable(records, run, spaceOf);
  if (activeMutations.length === 0) return [];
  const lock = await lockDirectory(out, 'run').catch((error: unknown) => {
    if (!(error instanceof LockError)) throw error;
    return error.code;
  });
  if (lock === 'in-use') return [];
  onBegin(activeMutations);
  try {
    const events = activeMutations.map(
      (mutation) => attemptFiles(join(out, 'attempts'), { n: mutation.n }).events,
    );
    await endOrphanProcesses({ variable: TOKEN, values: events, rounds: ROUNDS });
    const servers = new Map<string, MutatorClient>();
    const connectionErrors = new Map<string, string>();
    for (const server of new Set(activeMutations.map((mutation) => mutation.server))) {
      await clientFor(server, run?.id).then(
        (client) => servers.set(server, client),
        (error: Error) => connectionErrors.set(server, error.message),
      );
    }
    const reachable = activeMutations.filter(({ server }) => servers.has(server));
    const outcomes = await resetAll(servers, reachable);
    const successes = outcomes.filter(({ failed }) => failed === undefined);
    for (const server of run === undefined
      ? []
      : new Set(successes.map((mutation) => mutation.server))) {
      const client = servers.get(server);
      await client?.lease('end').catch(() => {});
    }
    const unreachable = activeMutations.flatMap((mutation) => {
      const failed = connectionErrors.get(mutation.server);
      return failed === undefined ? [] : [{ ...mutation, failed }];
    });
    return [...outcomes, ...unreachable];
  } finally {
    if (typeof lock === 'object') await lock.unlock();
  }
}

/** Returns every mutator that a run may mutate, and every one that its journal names, once. */
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
    for (const [at, { server, id, name }] of record.plan.entries()) {
      add(record.bench, server, { id, name, n: record.n, at });
    }
  }
  return [...mutators.values()];
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
