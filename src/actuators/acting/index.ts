import type { LiveActuator } from '../actuator.js';
import type { ActuatorContext } from '../context.js';
import { createExec } from '../exec/act.js';
import { createFile } from '../file/act.js';
import { createHttp } from '../http/act.js';
import { type Actuator, timeoutIn } from '../index.js';
import { createModule } from '../module/act.js';
import { withVerification } from '../verify/act.js';
import type { Verify } from '../verify/format.js';

export type { LiveActuator } from '../actuator.js';
export { ActuatorError, type ActuatorErrorCode } from '../actuator-error.js';
export { withoutVariables } from '../context.js';
export { createRunningNotes, endRemainingCommands, UUID_NAME } from '../exec/running-notes.js';
export { MutatedFiles } from '../file/mutated-files.js';
export { ORIGINAL_NAME } from '../file/original-store.js';
export { type Setting, settingsIn } from '../file/settings.js';
export { ModuleThreads } from '../module/module-thread.js';
export { type Clock, Gate, systemClock } from '../scheduling.js';

/** A mutator's actuator, and its verification. */
interface ActingMutator {
  readonly id: string;
  readonly actuator: Actuator;
  readonly verify?: Verify;
}

/**
 * Creates the actuator of a mutator, without acting yet. Rejects with an ActuatorError for an
 * actuator that could never act, for example because a module cannot be loaded or the environment
 * variable of a header is not set.
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
      return createExec(actuator, context);
    case 'http':
      return createHttp(actuator, context);
    case 'file':
      return createFile(id, actuator, context);
    case 'module':
      return createModule(id, actuator, context);
  }
}
