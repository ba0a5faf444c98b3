import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createRunningNotes,
  endRemainingCommands,
  MutatedFiles,
  type Semaphore,
} from '../../actuators/acting/index.js';
import { quote } from '../../diagnostics/index.js';
import {
  codeOf,
  LockError,
  lockDirectory as lock,
  lockName,
  makeDirectory,
} from '../../durable/index.js';
import {
  openStateJournal,
  readState,
  StateError,
  type StateJournalOptions,
} from './state-journal.js';
import { checkState } from './state-trust.js';

/**
 * Locks an existing state directory and its path for this process. The path stays locked if the directory is removed
 * and recreated. Rejects with a StateError.
 */
export async function lockState(directory: string) {
  const toStateError = ({ code, detail }: LockError) => new StateError(code, directory, detail);
  const nameLock = await lockName('server', await realpath(directory));
  if (nameLock !== undefined && 'holder' in nameLock) {
    throw new StateError('in-use', directory, nameLock.holder);
  }
  try {
    const { unlock, isHeld, unusable } = await lock(directory, 'server');
    return {
      isHeld,
      unusable: unusable && toStateError(unusable),
      async unlock(): Promise<void> {
        await unlock();
        await nameLock?.unlock();
      },
    };
  } catch (error) {
    await nameLock?.unlock();
    throw error instanceof LockError ? toStateError(error) : error;
  }
}

/** Interval between checks that the journal and the lock still exist. */
const CHECK_INTERVAL_MS = 500;

/** A server's durable records. */
export type StateDirectory = Awaited<ReturnType<typeof openStateDirectory>>;

/** The options for opening a state directory. */
interface StateOptions {
  /** The ids of all mutators, any of which may be active if the journal is damaged. */
  readonly mutators: readonly string[];
  /** Limits the number of files that are changed in parallel. */
  readonly semaphore: Semaphore;
  /** True to accept records that were made in another directory (default false). */
  readonly adopt?: boolean;
}

/**
 * Opens or creates a state directory for this process alone. Ends the commands that an earlier process has left
 * running. Rejects with a StateError.
 */
export async function openStateDirectory(
  path: string,
  { mutators, semaphore, adopt = false }: StateOptions,
) {
  const requestedDirectory = resolve(path);
  const isExpected = existsSync(join(requestedDirectory, 'originals'));
  try {
    for (const part of ['originals', 'running'])
      await makeDirectory(join(requestedDirectory, part));
  } catch (error) {
    throw new StateError('not-usable', requestedDirectory, codeOf(error));
  }
  const directory = await realpath(requestedDirectory);
  const foreignNames = await checkState(directory);
  const { ino } = await stat(directory, { bigint: true });
  const place = `${ino}:${directory}`;
  const [originals, notes, journalPath] = ['originals', 'running', 'journal'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  const stateLock = await lockState(directory);
  try {
    const files = new MutatedFiles(originals, semaphore, place);
    const foreignFiles = (await files.recorded()).filter(({ recordedIn }) => recordedIn !== place);
    const foreignRecords = [...(await readState(journalPath, false)).entries].filter(
      ([, record]) => record.recordedIn !== place,
    );
    if (foreignFiles.length + foreignRecords.length > 0 && !adopt) {
      const parts = [
        ...(foreignRecords.length > 0
          ? [`reset ${listNames(foreignRecords.map(([id]) => id))}`]
          : []),
        ...(foreignFiles.length > 0
          ? [`restore ${listNames(foreignFiles.map((record) => record.path))}`]
          : []),
      ];
      throw new StateError('foreign', directory, parts.join(' and '));
    }
    await endRemainingCommands(notes);
    await files.tidy();
    await files.adopt(foreignFiles);
    let announceLoss = (_: StateError) => {};
    const gone = new Promise<StateError>((resolvePromise) => {
      announceLoss = resolvePromise;
    });
    const check: StateJournalOptions['check'] = async (file) => {
      if ((await stateLock.isHeld()) && (await file.isNamed())) return;
      const error = new StateError('gone', directory);
      announceLoss(error);
      throw error;
    };
    const options = { mutators, isExpected, place, check };
    const { journal, checkPresence, ...openResult } = await openStateJournal(journalPath, options);
    const unusable = stateLock.unusable ?? openResult.unusable;
    // An idle server writes no record that would reveal the loss.
    const checkTimer = setInterval(() => void checkPresence(), CHECK_INTERVAL_MS).unref();
    return {
      journal,
      files,
      running: createRunningNotes(notes),
      /**
       * The reason if the directory is not writable. Active mutations can still be reset, but nothing may be injected.
       */
      unusable,
      /** Files in the directory that no server has created. The server leaves them alone. */
      ignored: foreignNames,
      /** Resolves with the error once the journal or the lock has been removed. */
      gone,
      /** Checks that the journal and the lock still exist. */
      checkPresence,
      /** Releases the directory. */
      async close(): Promise<void> {
        clearInterval(checkTimer);
        await journal.close();
        await stateLock.unlock();
      },
    };
  } catch (error) {
    await stateLock.unlock();
    throw error;
  }
}

/** Maximum number of names to list. Further names are only counted. */
const MAX_NAMES = 10;

/** Formats file names, in quotes because other users may have chosen them. */
function listNames(names: readonly string[]): string {
  const hiddenCount = names.length - MAX_NAMES;
  const visibleNames = names.slice(0, MAX_NAMES).map(quote).join(', ');
  return hiddenCount > 0 ? `${visibleNames} and ${hiddenCount} more` : visibleNames;
}

/** The result of inspecting a state directory. */
export interface InspectedState {
  /** True if a server uses the directory. */
  readonly inUse: boolean;
  /** The ids of the mutators that are or may be active. */
  readonly active: readonly string[];
  /** A description of the journal's damage, if any. */
  readonly damage?: string;
}

/**
 * Inspects a state directory without changing it. A server that starts during the inspection has to wait briefly.
 * Returns undefined if the directory does not exist.
 */
export async function inspectState(directory: string): Promise<InspectedState | undefined> {
  const path = join(directory, 'journal');
  if (!existsSync(path)) return undefined;
  let reading: Awaited<ReturnType<typeof readState>>;
  try {
    await checkState(directory);
    reading = await readState(path, true);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { inUse: false, active: [], damage: error.message };
  }
  const { entries, damage } = reading;
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
