import { quote } from '../../diagnostics/index.js';
import type { HostedMutator } from './hosted-mutator.js';
import { residueOf } from './states.js';

/** A mutator that may be left mutated, why, and what to do about it. */
export interface ResidualMutation {
  readonly id: string;
  readonly reason: string;
  readonly advice: string;
}

/** One that could not be reset. */
function notReset(id: string, reason: string): ResidualMutation {
  const advice = `correct what its reset needs, then reset ${quote(id)} again; the next start with the same state directory does so too`;
  return { id, reason, advice };
}

/** One that the manifest no longer has, so that nobody knows how to reset it. */
export function notInManifest(id: string, since: number): ResidualMutation {
  return {
    id,
    reason: `it may be active since ${new Date(since).toISOString()}, and the manifest no longer has it`,
    advice: `put ${quote(id)} back into the manifest, or reset it by hand and start with --forget-missing`,
  };
}

/** Those of some mutators that may be left mutated when nothing more is done. */
export function residualOf(all: readonly HostedMutator[]): ResidualMutation[] {
  return all.flatMap(({ id, state }) => {
    const residue = residueOf(state);
    return residue === undefined ? [] : [notReset(id, residue)];
  });
}

/** The ids of those that are reset. */
export function resetOf(touched: readonly HostedMutator[]): string[] {
  return touched.filter(({ state }) => residueOf(state) === undefined).map(({ id }) => id);
}
