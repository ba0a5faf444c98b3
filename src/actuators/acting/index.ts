import type { LiveActuator } from '../actuator.js';
import type { ActuatorContext } from '../context.js';
import { createExecActuator } from '../exec/act.js';
import { createFileActuator } from '../file/act.js';
import { createHttpActuator } from '../http/act.js';
import { type Actuator, timeoutIn } from '../index.js';
import { createModuleActuator } from '../module/act.js';
import { withVerification } from '../verify/act.js';
import type { EffectVerification } from '../verify/format.js';

export type { LiveActuator } from '../actuator.js';
export { ActuatorError, type ActuatorErrorCode } from '../actuator-error.js';
export { withoutVariables } from '../context.js';
export { createRunningNotes, endRemainingCommands, NOTE_NAME } from '../exec/running-notes.js';
export { MutatedFiles } from '../file/mutated-files.js';
export { ORIGINAL_NAME } from '../file/original-store.js';
export { type Setting, settingsIn } from '../file/settings.js';
export { ModuleThreads } from '../module/module-thread.js';
export { type Clock, Semaphore, systemClock } from '../scheduling.js';

/** A mutator with its actuator and its verification. */
interface ActingMutator {
  readonly id: string;
  readonly actuator: Actuator;
  readonly verify?: EffectVerification;
}

/**
 * Creates a mutator's actuator, without acting yet. Rejects with an ActuatorError for an actuator that could never act,
 * for example because its module cannot be loaded, or because the environment variable for a header is not set.
 */
export async function createActuator(
  mutator: ActingMutator,
  context: ActuatorContext,
): Promise<LiveActuator> {
  const { actuator, verify } = mutator;
  const liveActuator = await createUnverified(mutator, context);
  return verify === undefined
    ? liveActuator
    : withVerification(liveActuator, verify, timeoutIn(actuator), context);
}

async function createUnverified(
  { id, actuator }: ActingMutator,
  context: ActuatorContext,
): Promise<LiveActuator> {
  switch (actuator.kind) {
    case 'exec':
      return createExecActuator(actuator, context);
    case 'http':
      return createHttpActuator(actuator, context);
    case 'file':
      return createFileActuator(id, actuator, context);
    case 'module':
      return createModuleActuator(id, actuator, context);
  }
}
