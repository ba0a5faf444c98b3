import { LockError, lockDirectory as lock } from '../../durable/index.js';
import { StateError } from './state-error.js';

/** Takes a state directory for this process until the result is called. Rejects with a StateError. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  try {
    return await lock(directory, 'server');
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    throw new StateError(error.code, directory, error.detail);
  }
}
