import { LockError, lockDirectory as lock } from '../../durable/index.js';
import { StateError } from './state-error.js';

/** A state directory that this process has for itself. */
export interface Locked {
  readonly unlock: () => Promise<void>;
  /** Present when nothing can be written there, so that others could not see the lock. */
  readonly unusable?: StateError;
}

/** Takes a state directory for this process until it is unlocked. Rejects with a StateError. */
export async function lockDirectory(directory: string): Promise<Locked> {
  const asStateError = ({ code, detail }: LockError) => new StateError(code, directory, detail);
  try {
    const { unlock, unusable } = await lock(directory, 'server');
    return { unlock, ...(unusable && { unusable: asStateError(unusable) }) };
  } catch (error) {
    throw error instanceof LockError ? asStateError(error) : error;
  }
}
