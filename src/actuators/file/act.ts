import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { isSystemError } from '../../durable/index.js';
import type { LiveActuator } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import type { ActuatorContext } from '../context.js';
import { changeFor } from './file-change.js';
import type { FileActuator } from './format.js';

/**
 * Creates an actuator that changes a file. A change that has started is never interrupted, because it is short and must
 * not be left incomplete.
 */
export function createFileActuator(
  mutator: string,
  actuator: FileActuator,
  { directory, files }: ActuatorContext,
): LiveActuator {
  const path = resolve(directory, actuator.path);
  const target = { path, inPlace: actuator.inPlace };

  async function act(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const subject = quote(actuator.path);
    if (signal?.aborted) throw new ActuatorError('aborted', `the change to ${subject}`);
    try {
      await work();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new ActuatorError('file', subject, error.message);
    }
  }

  return {
    inject: ({ params }, signal) =>
      act(async () => files.change(mutator, target, changeFor(actuator, params)), signal),
    reset: (signal, onGone) =>
      act(async () => {
        const isGone = await files.restore(mutator, path);
        if (isGone) onGone?.(`${quote(actuator.path)} had been removed, and was recreated`);
      }, signal),
    close: async () => {},
  };
}
