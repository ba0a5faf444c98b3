import { type Dimension, hasLeastEffect, permits, valueCount } from './dimension.js';
import { FIRST_SETS } from './opening.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/**
 * True if a set is a control: each mutator has parameters, and all parameters have their least effect. A control is
 * equivalent to no mutation, so it can only show that injecting and resetting are harmless.
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

/** Yields the given sets, with at most one control. Delays the control until after the first `FIRST_SETS` sets. */
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
  /** The number of controls by number of mutators, including the empty set. */
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
