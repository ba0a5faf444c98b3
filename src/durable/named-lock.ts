import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DirectoryLock, LockError, lockDirectory } from './directory-lock.js';
import { codeOf, isSystemError, makeDirectory } from './files.js';

/*
 * Locks by name, for resources that have no directory or whose directory can be removed. The locks
 * are in a per-user directory inside the directory for temporary files. Processes see each other's
 * locks only if they share the directory for temporary files.
 */

/** A name that this process has locked. */
export interface LockedName extends Pick<DirectoryLock, 'unlock'> {
  /** The path of a file in which the holder can leave a note for other processes. */
  readonly note: string;
}

/** A name that another process has locked. */
export interface HeldName extends Pick<LockedName, 'note'> {
  /** The holder's process id. */
  readonly holder: string;
}

/**
 * Locks a name for this process until `unlock` is called.
 *
 * @param purpose a word; locks for different purposes are independent
 * @returns undefined if the name cannot be locked on this machine
 */
export async function lockName(
  purpose: string,
  name: string,
): Promise<LockedName | HeldName | undefined> {
  const user = process.getuid?.() ?? 0;
  const directory = join(tmpdir(), `perturb-${user}`);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  const note = join(directory, `${purpose}-${hash}.note`);
  try {
    await makeDirectory(directory);
    // Another user's directory is untrusted.
    if (process.getuid !== undefined && lstatSync(directory).uid !== user) return undefined;
    const { unlock, unusable } = await lockDirectory(directory, `${purpose}-${hash}`);
    return unusable === undefined ? { unlock, note } : undefined;
  } catch (error) {
    if (error instanceof LockError) {
      return error.code === 'in-use' ? { holder: error.detail, note } : undefined;
    }
    if (isSystemError(error) || codeOf(error) !== undefined) return undefined;
    throw error;
  }
}
