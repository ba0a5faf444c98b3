import type { Clock } from '../../actuators/acting/index.js';
import type { HostedMutator } from './hosted-mutator.js';
import { type ResidualMutation, resetOf, residualOf } from './residual-mutation.js';

export interface ShutdownOptions {
  /** How long operations that run may go on before they are broken off. */
  readonly graceMs: number;
  /** How long the resets may take after that. */
  readonly timeoutMs: number;
}

/** How a shutdown went: the mutators that were reset, and those that may be left mutated. */
export interface Shutdown {
  readonly reset: readonly string[];
  readonly left: readonly ResidualMutation[];
}

/**
 * Closes mutators to requests, lets what they are asked to do end, and resets all that are or may be
 * active. Never takes longer than both times together.
 */
export async function resetInTime(
  all: readonly HostedMutator[],
  clock: Clock,
  { graceMs, timeoutMs }: ShutdownOptions,
): Promise<Shutdown> {
  const touched = all.filter(({ state }) => state.kind !== 'idle');
  const limit = timeoutMs + (all.some(({ isServing }) => isServing) ? graceMs : 0);
  const disarm: (() => void)[] = [];
  const settle = async (hosted: HostedMutator): Promise<void> => {
    hosted.close();
    // What resets already goes on.
    if (hosted.isServing) {
      const spare = clock.after(graceMs, () => hosted.interrupt());
      disarm.push(spare);
      await hosted.whenStill();
      spare();
    }
    await hosted.settle('shutdown');
  };
  const overdue = new Promise<void>((resolve) => disarm.push(clock.after(limit, resolve)));
  await Promise.race([Promise.all(all.map(settle)), overdue]);
  for (const cancel of disarm) cancel();
  return { left: residualOf(all), reset: resetOf(touched) };
}
