import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createRunningNotes,
  endLeftCommands,
  type Gate,
  MutatedFiles,
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
  readTouched,
  StateError,
  type StateJournalOptions,
} from './state-journal.js';
import { checkState } from './state-trust.js';

/**
 * Locks an existing state directory for this process: its path too, which stays locked if the directory is removed
 * and recreated. Rejects with a StateError.
 */
export async function lockState(directory: string) {
  const asStateError = ({ code, detail }: LockError) => new StateError(code, directory, detail);
  const named = await lockName('server', await realpath(directory));
  if (named !== undefined && 'holder' in named) {
    throw new StateError('in-use', directory, named.holder);
  }
  try {
    const { unlock, isHeld, unusable } = await lock(directory, 'server');
    return {
      isHeld,
      unusable: unusable && asStateError(unusable),
      async unlock(): Promise<void> {
        await unlock();
        await named?.unlock();
      },
    };
  } catch (error) {
    await named?.unlock();
    throw error instanceof LockError ? asStateError(error) : error;
  }
}

/** Interval of checking that the journal and the lock still exist. */
const LOOK_MS = 500;

/** The records of a server that survive its death. */
export type StateDirectory = Awaited<ReturnType<typeof openStateDirectory>>;

/** The options for opening a state directory. */
interface StateOptions {
  /** The ids of all mutators, any of which may be active if the journal is damaged. */
  readonly mutators: readonly string[];
  /** Limits the number of files that are changed at a time. */
  readonly gate: Gate;
  /** Accepts records that were not made in the directory (default false). */
  readonly adopt?: boolean;
}

/**
 * Opens a state directory, or creates it, for this process alone, and ends the commands that an earlier one has
 * left running. Rejects with a StateError.
 */
export async function openStateDirectory(
  path: string,
  { mutators, gate, adopt = false }: StateOptions,
) {
  const requested = resolve(path);
  const isExpected = existsSync(join(requested, 'originals'));
  try {
    for (const part of ['originals', 'running']) await makeDirectory(join(requested, part));
  } catch (error) {
    throw new StateError('not-usable', requested, codeOf(error));
  }
  const directory = await realpath(requested);
  const ignored = await checkState(directory);
  const { ino } = await stat(directory, { bigint: true });
  const place = `${ino}:${directory}`;
  const [originals, notes, journalPath] = ['originals', 'running', 'journal'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  const locked = await lockState(directory);
  try {
    const files = new MutatedFiles(originals, gate, place);
    const foreign = (await files.recorded()).filter(({ recordedIn }) => recordedIn !== place);
    const touched = [...(await readTouched(journalPath, false)).entries].filter(
      ([, record]) => record.recordedIn !== place,
    );
    if (foreign.length + touched.length > 0 && !adopt) {
      const parts = [
        ...(touched.length > 0 ? [`reset ${listed(touched.map(([id]) => id))}`] : []),
        ...(foreign.length > 0 ? [`restore ${listed(foreign.map((record) => record.path))}`] : []),
      ];
      throw new StateError('foreign', directory, parts.join(' and '));
    }
    await endLeftCommands(notes);
    await files.tidy();
    await files.adopt(foreign);
    let announce = (_: StateError) => {};
    const gone = new Promise<StateError>((done) => {
      announce = done;
    });
    const check: StateJournalOptions['check'] = async (file) => {
      if ((await locked.isHeld()) && (await file.isNamed())) return;
      const error = new StateError('gone', directory);
      announce(error);
      throw error;
    };
    const options = { mutators, isExpected, place, check };
    const { journal, look, ...opened } = await openStateJournal(journalPath, options);
    const unusable = locked.unusable ?? opened.unusable;
    // An idle server writes no record that would reveal the loss.
    const watching = setInterval(() => void look(), LOOK_MS).unref();
    return {
      journal,
      files,
      running: createRunningNotes(notes),
      /**
       * The reason if nothing can be written there. Active mutations can still be reset, but nothing must be
       * injected.
       */
      unusable,
      /** Files in it that no server has made, or that nothing uses: left alone. */
      ignored,
      /** Resolves when the journal or the lock was removed. */
      gone,
      /** Checks that they still exist. */
      look,
      /** Releases the directory. */
      async close(): Promise<void> {
        clearInterval(watching);
        await journal.close();
        await locked.unlock();
      },
    };
  } catch (error) {
    await locked.unlock();
    throw error;
  }
}

/** Maximum number of names to list; the others are only counted. */
const MOST_NAMED = 10;

/** Lists names of files that others may have made. */
function listed(names: readonly string[]): string {
  const left = names.length - MOST_NAMED;
  const named = names.slice(0, MOST_NAMED).map(quote).join(', ');
  return left > 0 ? `${named} and ${left} more` : named;
}

/** The visible state of a state directory. */
export interface InspectedState {
  /** True if a server uses it. */
  readonly inUse: boolean;
  /** The ids of the mutators that are or may be active. */
  readonly active: readonly string[];
  /** The damage of its journal. */
  readonly damage?: string;
}

/**
 * Inspects a state directory without changing it; a server that starts meanwhile waits a moment. Returns undefined
 * if there is none.
 */
export async function inspectState(directory: string): Promise<InspectedState | undefined> {
  const path = join(directory, 'journal');
  if (!existsSync(path)) return undefined;
  let touched: Awaited<ReturnType<typeof readTouched>>;
  try {
    await checkState(directory);
    touched = await readTouched(path, true);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { inUse: false, active: [], damage: error.message };
  }
  const { entries, damage } = touched;
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
