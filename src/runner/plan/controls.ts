import { type Dimension, hasLeastEffect, permits, valueCount } from './dimension.js';
import { FIRST_SETS } from './opening.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/**
 * True for a control, a set whose parameters all have their least effect whenever it is active. It is equivalent to no
 * mutation, and can only show that injecting and resetting are harmless.
 */
export function hasNoEffect({ mutators }: Space, set: MutationSet): boolean {
  return set.every(({ mutator, values }) => {
    const dimensions = mutators[mutator]?.dimensions ?? [];
    return (
      dimensions.some(isParameter) &&
      dimensions.every((dimension, index) => {
        const value = values[index];
        return !isParameter(dimension) || (value !== undefined && hasLeastEffect(dimension, value));
      })
    );
  });
}

/** Yields sets with at most one control, moved behind the first sets. */
export function* delayControl(
  space: Space,
  sets: Iterable<MutationSet>,
): Generator<MutationSet, undefined> {
  let control: MutationSet | undefined;
  let hasYielded = false;
  let count = 0;
  for (const set of sets) {
    if (hasNoEffect(space, set)) control ??= set;
    else {
      yield set;
      count += 1;
    }
    if (control === undefined || hasYielded || count < FIRST_SETS) continue;
    yield control;
    hasYielded = true;
  }
  if (control !== undefined && !hasYielded) yield control;
}

function isParameter({ timing }: Dimension): boolean {
  return timing === undefined;
}

/** Counts a space's controls. */
export function countControls({ mutators, maxMutations }: Space): bigint {
  /** Counts by number of mutators, including the empty set. */
  const counts = Array.from({ length: maxMutations + 1 }, (_, size) => BigInt(size === 0));
  for (const { dimensions } of mutators.filter(canBeControl)) {
    const ways = dimensions
      .filter((dimension) => !isParameter(dimension))
      .reduce((product, dimension) => product * (valueCount(dimension) ?? 1n), 1n);
    for (let size = maxMutations; size > 0; size -= 1) {
      counts[size] = (counts[size] as bigint) + (counts[size - 1] as bigint) * ways;
    }
  }
  return counts.slice(1).reduce((sum, count) => sum + count, 0n);
}

function canBeControl({ dimensions }: SpaceMutator): boolean {
  const parameters = dimensions.filter(isParameter);
  return (
    parameters.length > 0 &&
    parameters.every(
      (dimension) =>
        dimension.leastEffect !== undefined && permits(dimension, dimension.leastEffect),
    )
  );
}
