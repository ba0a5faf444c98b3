import { ActuatorError } from '../actuator-error.js';
import { applyChange, type FileChange } from './file-change.js';
import { digestOf } from './file-state.js';
import type { MutatedFile } from './original-store.js';

/** The changes of a file that are in force, in their order: at most one of each mutator. */
export type Changes = MutatedFile['changes'];

/** A mutator that injects again keeps its place among the others. */
export function withChange(changes: Changes, mutator: string, change: FileChange): Changes {
  const isKnown = changes.some((one) => one.mutator === mutator);
  if (!isKnown) return [...changes, { mutator, change }];
  return changes.map((one) => (one.mutator === mutator ? { mutator, change } : one));
}

/** The changes of all other mutators. */
export function without(changes: Changes, mutators: ReadonlySet<string>): Changes {
  return changes.filter((one) => !mutators.has(one.mutator));
}

/**
 * The content with all changes. One that cannot be made has none to make: it
 * was of something that another change had brought, which is gone.
 *
 * @param required the mutator whose change must be made
 */
export function applyAll(
  path: string,
  original: Uint8Array | undefined,
  changes: Changes,
  required?: string,
): Uint8Array | undefined {
  return changes.reduce((content, { mutator, change }) => {
    try {
      return applyChange(path, content, change);
    } catch (error) {
      if (mutator === required || !(error instanceof ActuatorError)) throw error;
      return content;
    }
  }, original);
}

/** More have too many parts to try them all. */
const MOST_TRIED = 8;

/**
 * Whether a file holds its original with some of the changes: those were
 * reset when no record of it could be written.
 *
 * @param digest of what the file holds
 */
export function isPartOf(
  path: string,
  original: () => Uint8Array | undefined,
  changes: Changes,
  digest: string,
): boolean {
  if (changes.length > MOST_TRIED) return false;
  const bytes = original();
  for (let part = 1; part < 2 ** changes.length; part++) {
    const some = changes.filter((_, index) => (part >> index) % 2 === 1);
    if (digestOf(applyAll(path, bytes, some)) === digest) return true;
  }
  return false;
}
