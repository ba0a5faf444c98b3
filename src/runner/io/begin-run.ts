import {
  endOrphanProcesses,
  LockError,
  lockDirectory,
  makeDirectory,
} from '../../durable/index.js';
import { type End, endText, isFinal } from '../attempt/stopping.js';
import type { Journal } from '../journal/journal.js';
import { type JournalRecord, type RunRecord, type Step, VERSION } from '../journal/records.js';
import { applyRecord, type RunState, stateOf } from '../journal/run-state.js';
import { RunError } from '../run-error.js';
import { attemptFiles, ROUNDS, TOKEN } from './command.js';
import { reset, type Servers } from './servers.js';

/** The state of a run. A step counts once it is in the journal. */
export class JournaledState {
  readonly #journal: Journal;
  #state: RunState;
  /** The clock when the attempts of this process began, and what had passed by then. */
  #begun: { readonly at: number; readonly elapsed: number } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#state = stateOf(journal.records);
  }

  get current(): RunState {
    return this.#state;
  }

  /** An attempt begins: from the first one on, time passes. */
  startClock(): void {
    this.#begun ??= { at: performance.now(), elapsed: this.#state.elapsed };
  }

  /** Rejects with a RunError when the step cannot be written. */
  async write(step: Step): Promise<void> {
    const record: JournalRecord = { ...step, time: Date.now(), elapsed: this.#elapsed() };
    await this.#journal.add(record);
    this.#state = applyRecord(this.#state, record);
  }

  /** Ends the run; also when the journal cannot be written any more. */
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

/** What a run is begun, or continued, with. */
interface BeginSetup {
  /** The run's directory, absolute. */
  readonly out: string;
  readonly resume: boolean;
  /** What the journal begins with. */
  readonly record: RunRecord;
  readonly servers: Servers;
}

/**
 * Writes to the journal that a run begins, or that it continues. Rejects with a RunError when the
 * directory is not one for that.
 */
export async function beginRun(setup: BeginSetup, state: JournaledState): Promise<void> {
  const { out, resume, record } = setup;
  if (resume) {
    refuseToResume(out, state.current);
    await state.write({ step: 'resumed' });
  } else {
    if (state.current.run !== undefined) throw new RunError('holds-run', out);
    await state.write(record);
  }
}

function refuseToResume(out: string, { run, end }: RunState): void {
  if (run === undefined) throw new RunError('no-run', out);
  if (run.version !== VERSION) throw new RunError('other-version', out, `${run.version}`);
  if (end !== undefined && isFinal(end)) {
    throw new RunError('ended', out, endText({ reason: end.reason }));
  }
}

/**
 * Ends and resets what a run that was killed has left.
 *
 * @returns why the run cannot go on, if it cannot
 */
export async function clearLeftovers(
  directory: string,
  servers: Servers,
  state: JournaledState,
): Promise<End | undefined> {
  const { open, inForce } = state.current;
  if (open !== undefined)
    await endOrphanProcesses(TOKEN, [attemptFiles(directory, open.n).events], ROUNDS);
  for (const { server, id, name, n, at } of inForce) {
    const failed = await reset(servers, server, id, true);
    await state.write({ step: 'reset', n, at, ...(failed !== undefined && { failed }) });
    if (failed !== undefined) return { reason: 'reset-failed', detail: `${name}: ${failed}` };
  }
  return undefined;
}

/**
 * Makes the directory of a run, and keeps other runs out of it. Rejects with a RunError.
 *
 * @returns what lets others in again
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
    if (error instanceof Error && 'code' in error) {
      throw new RunError('no-directory', directory, String(error.code));
    }
    throw error;
  }
}
