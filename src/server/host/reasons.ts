import { ActuatorError } from '../../actuators/acting/index.js';
import { StateError } from '../state/state-error.js';

/** Why something failed, for the log. What is not an error of the user's system is a bug. */
export function reasonOf(error: unknown): string {
  if (error instanceof ActuatorError || error instanceof StateError) return error.message;
  return `a bug in Perturb: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** For how long what failed may still take effect, as far as is known. */
export function lateMsOf(error: unknown): number | undefined {
  return error instanceof ActuatorError ? error.lateMs : undefined;
}
