import { drawValue } from './dimension.js';
import { randomFor } from './random.js';
import type { SpaceMutator, Strategy } from './space.js';
import { randomSubset } from './subsets.js';

/** Independent draws: a random size, random mutators, and each value drawn evenly. */
export const uniform: Strategy = (space, seed) => (n) => {
  const random = randomFor(seed, 'uniform', n);
  return randomSubset(space.mutators.length, space.most, random).map((mutator) => ({
    mutator,
    values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension) =>
      drawValue(dimension, random),
    ),
  }));
};
