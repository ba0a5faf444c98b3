import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeTouched } from './journal.js';
import { StateError } from './state-error.js';
import { lockDirectory } from './state-lock.js';

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
    const { unlock } = await lockDirectory(directory);
    await unlock();
    return false;
  } catch (error) {
    if (error instanceof StateError && error.code === 'in-use') return true;
    throw error;
  }
}
