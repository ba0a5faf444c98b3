import type { FileActuator } from '../../mutators/index.js';
import type { Actuator } from './actuator.js';
import type { ActuatorContext } from './context.js';
export function createFile(
  _id: string,
  _actuator: FileActuator,
  _context: ActuatorContext,
): Actuator {
  throw new Error('not yet');
}
