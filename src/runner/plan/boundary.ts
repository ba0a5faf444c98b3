import { boundaryValues } from './dimension.js';
import { randomFor } from './random.js';
import type { SpaceMutator, Strategy } from './space.js';
import { evenSubset } from './subsets.js';

/** The values at which systems fail most often, in random combinations. */
export const boundary: Strategy = (space, seed) => {
  const values = space.mutators.map(({ dimensions }) => dimensions.map(boundaryValues));
  return (n) => {
    const random = randomFor(seed, 'boundary', n);
    return evenSubset(space.mutators.length, space.most, seed, n).map(({ mutator }) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((_, at) =>
        random.pick(values[mutator]?.[at] ?? []),
      ),
    }));
  };
};
