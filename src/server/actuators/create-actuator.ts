import type { ManifestMutator } from '../../mutators/index.js';
import type { Actuator } from './actuator.js';
import type { ActuatorContext } from './context.js';
import { createExec } from './exec/exec.js';
import { createFile } from './file/file.js';
import { createHttp } from './http/http.js';
import { createModule } from './module/module.js';

/**
 * Makes the actuator of a mutator, without acting yet. Rejects with an
 * ActuatorError for one that could never act: a module that cannot be loaded, a
 * header whose environment variable is not set.
 */
export async function createActuator(
  { id, actuator }: ManifestMutator,
  context: ActuatorContext,
): Promise<Actuator> {
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
