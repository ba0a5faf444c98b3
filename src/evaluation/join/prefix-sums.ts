import type { Monoid } from './monoid.js';

/** Weights at places from 1 on that are added to while the first of them are summed. */
export interface PrefixSums {
  /** Adds a weight at a place among the `size` ones that begin at `base`. */
  update(base: number, size: number, place: number, weight: number): void;
  /** The weights of the first `length` places that begin at `base`. */
  prefix(base: number, length: number): number;
}

/**
 * The cheapest way to keep sums for so many updates and queries: one of the two in one step
 * and the other in as many as a run is long, where that is less than the logarithm for both.
 *
 * @param places in all runs together, and in an average one
 */
export function prefixSums(
  places: number,
  average: number,
  updates: number,
  queries: number,
  add: Monoid['add'],
): PrefixSums {
  const sums = new Float64Array(places);
  const balanced = (updates + queries) * Math.log2(average + 1);
  if ((updates * average) / 2 + queries < balanced) return quickToQuery(sums, add);
  if (updates + (queries * average) / 2 < balanced) return quickToUpdate(sums, add);
  return fenwickTree(sums, add);
}

/** Holds the sums themselves: an update takes as many steps as there are places behind it. */
function quickToQuery(sums: Float64Array, add: Monoid['add']): PrefixSums {
  return {
    update(base, size, place, weight) {
      for (let at = base + place - 1; at < base + size; at++) {
        sums[at] = add(sums[at] as number, weight);
      }
    },
    prefix: (base, length) => (length === 0 ? 0 : (sums[base + length - 1] as number)),
  };
}

/** Holds the weights themselves: a query takes as many steps as it sums. */
function quickToUpdate(weights: Float64Array, add: Monoid['add']): PrefixSums {
  return {
    update(base, _size, place, weight) {
      weights[base + place - 1] = add(weights[base + place - 1] as number, weight);
    },
    prefix(base, length) {
      let sum = 0;
      for (let at = base; at < base + length; at++) sum = add(sum, weights[at] as number);
      return sum;
    },
  };
}

/** Both in a logarithm of steps. */
function fenwickTree(tree: Float64Array, add: Monoid['add']): PrefixSums {
  return {
    update(base, size, place, weight) {
      for (let at = place; at <= size; at += at & -at) {
        tree[base + at - 1] = add(tree[base + at - 1] as number, weight);
      }
    },
    prefix(base, length) {
      let sum = 0;
      for (let at = length; at > 0; at -= at & -at) sum = add(sum, tree[base + at - 1] as number);
      return sum;
    },
  };
}
