import { quote } from '../../diagnostics/index.js';
import { ActuatorError } from '../actuators/actuator-error.js';
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

/** A mutator that may be left mutated, why, and what to do about it. */
export interface Left {
  readonly id: string;
  readonly reason: string;
  readonly advice: string;
}

/** One that could not be reset. */
export function notReset(id: string, reason: string): Left {
  const advice = `correct what its reset needs, then reset ${quote(id)} again; the next start with the same state directory tries that too`;
  return { id, reason, advice };
}

/** One that the manifest no longer has, so that nobody knows how to reset it. */
export function notInManifest(id: string, since: number): Left {
  return {
    id,
    reason: `it may be active since ${new Date(since).toISOString()}, and the manifest no longer has it`,
    advice: `put ${quote(id)} back into the manifest, or reset it by hand and start with --forget-missing`,
  };
}
