import type { Clock } from '../../actuators/acting/index.js';
import { quote } from '../../diagnostics/index.js';
import type { HostedMutator, MutatorContext } from './hosted-mutator.js';

/** A mutator that may still be active, with the reason and advice. */
export interface ResidualMutation {
  readonly id: string;
  readonly reason: string;
  readonly advice: string;
}

/** Describes a mutator that could not be reset. */
function describeFailedReset(id: string, reason: string): ResidualMutation {
  const advice = `fix the cause, then reset ${quote(id)} again, or restart the server with the same state directory`;
  return { id, reason, advice };
}

/** Describes an active mutator that the manifest no longer has, so the server cannot reset it. */
function describeMissing(id: string, since: number): ResidualMutation {
  return {
    id,
    reason: `it may have been active since ${new Date(since).toISOString()}, and is no longer in the manifest`,
    advice: `put ${quote(id)} back into the manifest, or reset it by hand and start with --forget-missing`,
  };
}

/** Returns the mutations that are or may be left active. */
export function findResidualMutations(mutators: readonly HostedMutator[]): ResidualMutation[] {
  return mutators.flatMap(({ id, residue }) =>
    residue === undefined ? [] : [describeFailedReset(id, residue)],
  );
}

/** Returns the ids of the mutators that have been reset. */
function resetIds(mutators: readonly HostedMutator[]): string[] {
  return mutators.filter(({ residue }) => residue === undefined).map(({ id }) => id);
}

export interface ShutdownOptions {
  /** Grace period for running operations before they are aborted. */
  readonly graceMs: number;
  /** Timeout for the resets after the grace period. */
  readonly timeoutMs: number;
}

/** The result of a shutdown: the mutators that were reset, and the residual mutations. */
export interface ShutdownResult {
  readonly reset: readonly string[];
  readonly residual: readonly ResidualMutation[];
}

/**
 * Refuses further requests, lets requested operations end, and resets all mutators that are or may be active. Never
 * takes longer than the grace period and the timeout together.
 */
export async function resetInTime(
  mutators: readonly HostedMutator[],
  clock: Clock,
  { graceMs, timeoutMs }: ShutdownOptions,
): Promise<ShutdownResult> {
  const activeMutators = mutators.filter(({ state }) => state !== 'idle');
  const limit = timeoutMs + (mutators.some(({ isServing }) => isServing) ? graceMs : 0);
  const cancels: (() => void)[] = [];
  const settle = async (hosted: HostedMutator): Promise<void> => {
    hosted.close();
    // A reset that the mutator has started on its own continues.
    if (hosted.isServing) {
      const cancelInterrupt = clock.after(graceMs, () => hosted.interrupt());
      cancels.push(cancelInterrupt);
      await hosted.waitUntilIdle();
      cancelInterrupt();
    }
    await hosted.settle('shutdown');
  };
  const timeout = new Promise<void>((resolve) => cancels.push(clock.after(limit, resolve)));
  await Promise.race([Promise.all(mutators.map(settle)), timeout]);
  for (const cancel of cancels) cancel();
  return { residual: findResidualMutations(mutators), reset: resetIds(activeMutators) };
}

/** The result of recovering from an earlier process. The server may listen only if there are no residual mutations. */
export interface Recovery {
  /** The ids of mutators that were reset. */
  readonly reset: readonly string[];
  readonly residual: readonly ResidualMutation[];
  /** The ids of forgotten mutators, which the manifest no longer has. */
  readonly forgottenIds: readonly string[];
}

/**
 * Resets the mutators that an earlier process left active. On request, forgets mutators that the manifest no longer
 * has.
 */
export async function resetLeftovers(
  mutators: ReadonlyMap<string, HostedMutator>,
  context: MutatorContext,
  forgetMissing: boolean,
): Promise<Recovery> {
  const { journal, events, forget } = context;
  const active = [...mutators.values()].filter(({ state }) => state !== 'idle');
  await Promise.all(active.map((hosted) => hosted.settle('recovery')));
  const missingEntries = [...journal.entries].filter(([id]) => !mutators.has(id));
  const forgottenIds: string[] = [];
  for (const [id] of forgetMissing ? missingEntries : []) {
    await forget(id);
    await journal.clear(id);
    events({ kind: 'forgotten', id });
    forgottenIds.push(id);
  }
  const unresolvedEntries = forgetMissing ? [] : missingEntries;
  const residual = [
    ...findResidualMutations(active),
    ...unresolvedEntries.map(([id, { since }]) => describeMissing(id, since)),
  ];
  return { reset: resetIds(active), residual, forgottenIds };
}
