import type { Clock } from '../../actuators/acting/index.js';
import { quote } from '../../diagnostics/index.js';
import type { HostedMutator, MutatorContext } from './hosted-mutator.js';

/** A mutator that may be left mutated, with the reason and advice. */
export interface ResidualMutation {
  readonly id: string;
  readonly reason: string;
  readonly advice: string;
}

/** Returns the record of a mutator that could not be reset. */
function notReset(id: string, reason: string): ResidualMutation {
  const advice = `correct what its reset needs, then reset ${quote(id)} again; the next start with the same state directory does so too`;
  return { id, reason, advice };
}

/** Returns the record of a mutator that the manifest no longer has, so nobody knows how to reset it. */
function notInManifest(id: string, since: number): ResidualMutation {
  return {
    id,
    reason: `it may have been active since ${new Date(since).toISOString()}, and the manifest no longer has it`,
    advice: `put ${quote(id)} back into the manifest, or reset it by hand and start with --forget-missing`,
  };
}

/** Returns the residual mutations of some mutators if nothing more is done. */
export function residualOf(all: readonly HostedMutator[]): ResidualMutation[] {
  return all.flatMap(({ id, residue }) => (residue === undefined ? [] : [notReset(id, residue)]));
}

/** Returns the ids of those that are reset. */
function resetOf(touched: readonly HostedMutator[]): string[] {
  return touched.filter(({ residue }) => residue === undefined).map(({ id }) => id);
}

export interface ShutdownOptions {
  /** Grace period for running operations before they are aborted. */
  readonly graceMs: number;
  /** Timeout for the resets after that. */
  readonly timeoutMs: number;
}

/** The result of a shutdown: the mutators that were reset, and the residual mutations. */
export interface Shutdown {
  readonly reset: readonly string[];
  readonly left: readonly ResidualMutation[];
}

/**
 * Closes mutators to requests, lets requested operations end, and resets all that are or may be active. Never takes
 * longer than both times together.
 */
export async function resetInTime(
  all: readonly HostedMutator[],
  clock: Clock,
  { graceMs, timeoutMs }: ShutdownOptions,
): Promise<Shutdown> {
  const touched = all.filter(({ state }) => state !== 'idle');
  const limit = timeoutMs + (all.some(({ isServing }) => isServing) ? graceMs : 0);
  const disarm: (() => void)[] = [];
  const settle = async (hosted: HostedMutator): Promise<void> => {
    hosted.close();
    // A current reset of its own continues.
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

/** The result of the recovery from an earlier process: the server may listen only if nothing is left. */
export interface Recovery {
  /** The ids of mutators that were reset. */
  readonly reset: readonly string[];
  readonly left: readonly ResidualMutation[];
  /** The ids of mutators that the manifest no longer has. */
  readonly forgotten: readonly string[];
}

/** Resets what an earlier process left active, and on request forgets mutators that the manifest no longer has. */
export async function resetLeftovers(
  all: ReadonlyMap<string, HostedMutator>,
  context: MutatorContext,
  forgetMissing: boolean,
): Promise<Recovery> {
  const { journal, events, forget } = context;
  const touched = [...all.values()].filter(({ state }) => state !== 'idle');
  await Promise.all(touched.map((hosted) => hosted.settle('recovery')));
  const missing = [...journal.entries].filter(([id]) => !all.has(id));
  const forgotten: string[] = [];
  for (const [id] of forgetMissing ? missing : []) {
    await forget(id);
    await journal.clear(id);
    events({ kind: 'forgotten', id });
    forgotten.push(id);
  }
  const unknown = forgetMissing ? [] : missing;
  const residual = [
    ...residualOf(touched),
    ...unknown.map(([id, { since }]) => notInManifest(id, since)),
  ];
  return { reset: resetOf(touched), left: residual, forgotten };
}
