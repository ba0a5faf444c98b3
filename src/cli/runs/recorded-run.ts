import { resolve } from 'node:path';
import {
  type DoneAttempt,
  RunError,
  type RunRecord,
  type RunState,
  readJournal,
  stateOf,
} from '../../runner/index.js';
import { orRunFailure } from '../objective/run/prepare.js';
import { type Io, usageFailure } from '../runtime/command.js';

/** Where runs are kept unless `--out` says otherwise. */
export const RUNS_DIRECTORY = '.perturb/runs';

/** A run as its journal has it. */
export interface RecordedRun {
  readonly run: RunRecord;
  readonly state: RunState;
  /** Its directory, absolute. */
  readonly path: string;
}

/** Reads the run of a directory. @throws Failure where there is none, or its journal is damaged */
export async function readRun({ cwd }: Io, directory: string): Promise<RecordedRun> {
  const path = resolve(cwd, directory);
  return orRunFailure(async () => {
    const state = stateOf(await readJournal(path));
    if (state.run === undefined) throw new RunError('not-a-run', directory);
    return { run: state.run, state, path };
  });
}

/** An attempt of a run by its number. @throws Failure (usage) where it has none */
export function attemptOf(
  { state: { attempts, repeats = [] } }: RecordedRun,
  n: number,
): DoneAttempt {
  const all = [...attempts, ...repeats];
  const found = all.find((one) => one.n === n);
  if (found !== undefined) return found;
  const last = all.length === 0 ? undefined : Math.max(...all.map((one) => one.n));
  throw usageFailure(
    `the run has no attempt ${n}`,
    last === undefined ? 'It has none at all.' : `Its attempts are 1 to ${last}.`,
  );
}
