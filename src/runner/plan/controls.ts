import { hasLeastEffect, permits } from './dimension.js';
import { FIRST_SETS } from './opening.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/**
 * True for a set in which every parameter has its least effect: it equals no mutation at all, so it can show only that
 * injecting and resetting do no harm.
 */
export function hasNoEffect({ mutators }: Space, set: MutationSet): boolean {
  return set.every(({ mutator, values }) => {
    const dimensions = mutators[mutator]?.dimensions ?? [];
    return (
      dimensions.length > 0 &&
      dimensions.every((dimension, at) => {
        const value = values[at];
        return value !== undefined && hasLeastEffect(dimension, value);
      })
    );
  });
}

/** The sets with one control at most, and that after those which come first. */
export function* controlLater(
  space: Space,
  sets: Iterable<MutationSet>,
): Generator<MutationSet, undefined> {
  let control: MutationSet | undefined;
  let isMade = false;
  let others = 0;
  for (const set of sets) {
    if (hasNoEffect(space, set)) control ??= set;
    else {
      yield set;
      others += 1;
    }
    if (control === undefined || isMade || others < FIRST_SETS) continue;
    yield control;
    isMade = true;
  }
  if (control !== undefined && !isMade) yield control;
}

/** How many sets of a space are controls. */
export function controlCount({ mutators, most }: Space): bigint {
  const able = BigInt(mutators.filter(canBeControl).length);
  let [count, ofSize] = [0n, 1n];
  for (let size = 1n; size <= able && size <= BigInt(most); size += 1n) {
    ofSize = (ofSize * (able - size + 1n)) / size;
    count += ofSize;
  }
  return count;
}

function canBeControl({ dimensions }: SpaceMutator): boolean {
  return (
    dimensions.length > 0 &&
    dimensions.every(
      (dimension) =>
        dimension.leastEffect !== undefined && permits(dimension, dimension.leastEffect),
    )
  );
}
