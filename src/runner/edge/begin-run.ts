import { type RunRecord, VERSION } from '../journal/records.js';
import { endText, isFinal } from '../loop/ends.js';
import type { RunState } from '../loop/run-state.js';
import type { End } from '../loop/stopping.js';
import { RunError } from '../run-error.js';
import { attemptFiles, TOKEN } from './attempt-files.js';
import type { JournaledState } from './journaled-state.js';
import { reset, type Servers } from './servers.js';
import { endStrays } from './strays.js';

/** What a run is begun, or continued, with. */
export interface BeginSetup {
  /** The run's directory, absolute. */
  readonly out: string;
  readonly resume: boolean;
  /** What the journal begins with. */
  readonly record: RunRecord;
  readonly servers: Servers;
}

/**
 * Writes the beginning of a run to the journal, or that it goes on. Rejects with a RunError when the
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
  if (open !== undefined) await endStrays(TOKEN, attemptFiles(directory, open.n).events);
  for (const { server, id, name, n, at } of inForce) {
    const failed = await reset(servers, server, id, true);
    await state.write({ step: 'reset', n, at, ...(failed !== undefined && { failed }) });
    if (failed !== undefined) return { reason: 'reset-failed', detail: `${name}: ${failed}` };
  }
  return undefined;
}
