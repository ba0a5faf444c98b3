import { join, resolve } from 'node:path';
import { MutatedFiles } from '../actuators/file/mutated-files.js';
import { codeOf, makeDirectory } from '../state/durable-files.js';
import { type Journal, openJournal } from '../state/journal.js';
import { createRunningNotes, endStrays, type RunningNotes } from '../state/running-notes.js';
import { StateError } from '../state/state-error.js';
import { lockDirectory } from '../state/state-lock.js';

/** What a server must not forget, even when it is killed. */
export interface StateDirectory {
  readonly journal: Journal;
  readonly files: MutatedFiles;
  readonly running: RunningNotes;
  /** Lets go of the directory. */
  close(): Promise<void>;
}

/**
 * Opens a state directory, or makes it, for this process alone, and ends the
 * commands that an earlier one has left running. Rejects with a StateError.
 */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  const directory = resolve(path);
  const originals = join(directory, 'originals');
  const notes = join(directory, 'running');
  try {
    for (const made of [originals, notes]) await makeDirectory(made);
  } catch (error) {
    throw new StateError('not-usable', directory, codeOf(error));
  }
  const unlock = await lockDirectory(directory);
  try {
    await endStrays(notes);
    const files = new MutatedFiles(originals);
    await files.tidy();
    const journal = await openJournal(join(directory, 'journal'));
    const close = async () => {
      await journal.close();
      await unlock();
    };
    return {
      journal,
      files,
      running: createRunningNotes(notes),
      close,
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}
