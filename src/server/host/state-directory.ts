import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Gate } from '../../actuators/acting/index.js';
import {
  createRunningNotes,
  endLeftCommands,
  MutatedFiles,
  type RunningNotes,
} from '../../actuators/acting/index.js';
import { codeOf, makeDirectory } from '../../durable/index.js';
import { openStateJournal, type StateJournal } from '../state/journal.js';
import { StateError } from '../state/state-error.js';
import { lockDirectory } from '../state/state-lock.js';

/** What a server must not forget, even when it is killed. */
export interface StateDirectory {
  readonly journal: StateJournal;
  readonly files: MutatedFiles;
  readonly running: RunningNotes;
  /**
   * Why nothing can be written there. What an earlier process has left active
   * can still be reset, but nothing must be injected.
   */
  readonly unusable?: StateError;
  /** Gives the directory up. */
  close(): Promise<void>;
}

/** What a state directory is opened for. */
export interface StateOptions {
  /** The ids of all mutators: what may be active when the journal is damaged. */
  readonly mutators: readonly string[];
  /** How many files may be changed at a time. */
  readonly gate: Gate;
}

/**
 * Opens a state directory, or makes it, for this process alone, and ends the
 * commands that an earlier one has left running. Rejects with a StateError.
 */
export async function openStateDirectory(
  path: string,
  { mutators, gate }: StateOptions,
): Promise<StateDirectory> {
  const directory = resolve(path);
  const originals = join(directory, 'originals');
  const notes = join(directory, 'running');
  const isExpected = existsSync(originals);
  try {
    for (const made of [originals, notes]) await makeDirectory(made);
  } catch (error) {
    throw new StateError('not-usable', directory, codeOf(error));
  }
  const locked = await lockDirectory(directory);
  try {
    await endLeftCommands(notes);
    const files = new MutatedFiles(originals, gate);
    await files.tidy();
    const options = { mutators, isExpected };
    const { journal, ...opened } = await openStateJournal(join(directory, 'journal'), options);
    const unusable = locked.unusable ?? opened.unusable;
    return {
      journal,
      files,
      running: createRunningNotes(notes),
      ...(unusable && { unusable }),
      async close() {
        await journal.close();
        await locked.unlock();
      },
    };
  } catch (error) {
    await locked.unlock();
    throw error;
  }
}
