import type { Mutation } from '../../mutators/index.js';

/**
 * Acts on the system under test. Whoever calls it lets one call end before the
 * next begins. A call that fails rejects with an ActuatorError; so does one
 * whose signal is aborted, and without delay. Neither goes on in the background.
 */
export interface Actuator {
  /** @param mutation with a value for each parameter of the mutator, by its key */
  inject(mutation: Mutation, signal?: AbortSignal): Promise<void>;
  /** Undoes all injections; does no harm where there was none. */
  reset(signal?: AbortSignal): Promise<void>;
  /** Releases what it holds in this process, such as threads. It resets nothing. */
  close(): Promise<void>;
}
