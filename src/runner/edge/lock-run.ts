import { LockError, lockDirectory, makeDirectory } from '../../durable/index.js';
import { RunError } from '../run-error.js';

/**
 * Makes the directory of a run, and keeps other runs out of it. Rejects with a RunError.
 *
 * @returns what lets others in again
 */
export async function lockRun(directory: string): Promise<() => Promise<void>> {
  try {
    await makeDirectory(directory);
    const { unlock, unusable } = await lockDirectory(directory, 'run');
    if (unusable !== undefined) throw unusable;
    return unlock;
  } catch (error) {
    if (error instanceof LockError) {
      const code = error.code === 'not-usable' ? 'no-directory' : error.code;
      throw new RunError(code, directory, error.detail);
    }
    if (error instanceof Error && 'code' in error) {
      throw new RunError('no-directory', directory, String(error.code));
    }
    throw error;
  }
}
