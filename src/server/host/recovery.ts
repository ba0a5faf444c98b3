import type { StateJournal } from '../state/journal.js';
import type { HostEvents } from './host-events.js';
import type { HostedMutator } from './hosted-mutator.js';
import { notInManifest, type ResidualMutation, resetOf, residualOf } from './residual-mutation.js';

/** How the recovery from an earlier process went: only when nothing is left may the server listen. */
export interface Recovery {
  /** The ids of mutators that were reset. */
  readonly reset: readonly string[];
  readonly left: readonly ResidualMutation[];
  /** The ids of mutators that the manifest no longer has. */
  readonly forgotten: readonly string[];
}

/** What a recovery works on beside the mutators. */
interface Surroundings {
  readonly journal: StateJournal;
  readonly events: HostEvents;
  /** Drops what is kept for a mutator that the manifest no longer has. */
  readonly forget: (id: string) => Promise<void>;
}

/** Resets what an earlier process left active, and forgets what the manifest no longer has if asked to. */
export async function resetLeftovers(
  all: ReadonlyMap<string, HostedMutator>,
  { journal, events, forget }: Surroundings,
  forgetMissing: boolean,
): Promise<Recovery> {
  const touched = [...all.values()].filter(({ state }) => state.kind !== 'idle');
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
  const left = [
    ...residualOf(touched),
    ...unknown.map(([id, { since }]) => notInManifest(id, since)),
  ];
  return { reset: resetOf(touched), left, forgotten };
}
