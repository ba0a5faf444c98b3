import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from './durable-files.js';
import { type Journal, openJournal } from './journal.js';
import { type Originals, openOriginals } from './originals.js';
import { createRunningNotes, endStrays, type RunningNotes } from './running-notes.js';
import { StateError } from './state-error.js';
import { lockDirectory } from './state-lock.js';

/** What a server must not forget, even when it is killed. */
export interface StateDirectory {
  readonly journal: Journal;
  readonly originals: Originals;
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
  try {
    // Originals may hold secrets.
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StateError('not-usable', directory, codeOf(error));
  }
  const unlock = await lockDirectory(directory);
  try {
    const notes = join(directory, 'running');
    await endStrays(notes);
    const originals = await openOriginals(join(directory, 'originals'));
    const journal = await openJournal(join(directory, 'journal'));
    const close = async () => {
      await journal.close();
      await unlock();
    };
    return { journal, originals, running: createRunningNotes(notes), close };
  } catch (error) {
    await unlock();
    throw error;
  }
}
