import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createRunningNotes,
  endLeftCommands,
  type Gate,
  MutatedFiles,
  type RunningNotes,
} from '../../actuators/acting/index.js';
import { codeOf, LockError, lockDirectory as lock, makeDirectory } from '../../durable/index.js';
import { decodeTouched, openStateJournal, StateError, type StateJournal } from './state-journal.js';

/** A state directory that this process has for itself. */
interface Locked {
  readonly unlock: () => Promise<void>;
  /** Present when nothing can be written there, so that others could not see the lock. */
  readonly unusable?: StateError;
}

/** Takes a state directory for this process until it is unlocked. Rejects with a StateError. */
export async function lockState(directory: string): Promise<Locked> {
  const asStateError = ({ code, detail }: LockError) => new StateError(code, directory, detail);
  try {
    const { unlock, unusable } = await lock(directory, 'server');
    return { unlock, ...(unusable && { unusable: asStateError(unusable) }) };
  } catch (error) {
    throw error instanceof LockError ? asStateError(error) : error;
  }
}

/** What a server must not forget, even when it is killed. */
interface StateDirectory {
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
interface StateOptions {
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
  const locked = await lockState(directory);
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

/** What can be seen of a state directory from outside. */
export interface InspectedState {
  /** Whether a server runs on it. */
  readonly inUse: boolean;
  /** The ids of the mutators that are or may be active. */
  readonly active: readonly string[];
  /** What is wrong with its journal. */
  readonly damage?: string;
}

/**
 * Looks at a state directory, and leaves it as it is; a server that starts meanwhile waits a moment.
 * Undefined when there is none.
 */
export async function inspectState(directory: string): Promise<InspectedState | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, 'journal'), 'utf8');
  } catch {
    return undefined;
  }
  const { entries, damage } = decodeTouched(text);
  return {
    inUse: await isLocked(directory),
    active: [...entries.keys()],
    ...(damage !== undefined && { damage }),
  };
}

async function isLocked(directory: string): Promise<boolean> {
  try {
    const { unlock } = await lockState(directory);
    await unlock();
    return false;
  } catch (error) {
    if (error instanceof StateError && error.code === 'in-use') return true;
    throw error;
  }
}
