import type { Monoid } from './monoid.js';

/** Parts of runs: each is the first places of a run, up to an end that is not among them. */
export interface Parts {
  readonly run: Int32Array;
  readonly end: Int32Array;
}

/** Weights that are added at the ends of parts of runs, and sums of what reaches such ends. */
export interface PartSums {
  /** Adds a weight at the ends of the first `count` parts. */
  update(parts: Parts, count: number, weight: number): void;
  /** What has reached the ends of the first `count` parts, put together. */
  sum(parts: Parts, count: number): number;
}

/** How the sums are used. */
export interface Use {
  /** To how many parts weights are added, and for how many sums are asked. */
  readonly updates: number;
  readonly queries: number;
  /** Whether a weight reaches the ends in its run from its own on, or those up to its own. */
  readonly reaches: 'behind' | 'before';
}

/**
 * The cheapest way to keep sums for a use: one of update and query in one step and the other
 * in as many as a run is long, where that is less than the logarithm for both.
 *
 * @param start for each run its first place; one more entry at the end
 */
export function partSums(
  start: Int32Array,
  { updates, queries, reaches }: Use,
  add: Monoid['add'],
): PartSums {
  const places = start.at(-1) ?? 0;
  const average = places / Math.max(1, start.length - 1);
  const sums = new Float64Array(places);
  const balanced = (updates + queries) * Math.log2(average + 1);
  const isBehind = reaches === 'behind';
  if ((updates * average) / 2 + queries < balanced) return quickToSum(sums, start, isBehind, add);
  if (updates + (queries * average) / 2 < balanced) {
    return quickToUpdate(sums, start, isBehind, add);
  }
  return fenwickTree(sums, start, isBehind, add);
}

/** Holds the sums themselves: an update takes as many steps as there are places it reaches. */
function quickToSum(
  sums: Float64Array,
  start: Int32Array,
  isBehind: boolean,
  add: Monoid['add'],
): PartSums {
  return {
    update({ run, end }, count, weight) {
      for (let part = 0; part < count; part++) {
        const own = run[part] as number;
        const to = isBehind ? (start[own + 1] as number) : (end[part] as number);
        let at = isBehind ? (end[part] as number) - 1 : (start[own] as number);
        for (; at < to; at++) sums[at] = add(sums[at] as number, weight);
      }
    },
    sum({ end }, count) {
      let sum = 0;
      for (let part = 0; part < count; part++) {
        sum = add(sum, sums[(end[part] as number) - 1] as number);
      }
      return sum;
    },
  };
}

/** Holds the weights themselves: a sum takes as many steps as there are places that reach it. */
function quickToUpdate(
  weights: Float64Array,
  start: Int32Array,
  isBehind: boolean,
  add: Monoid['add'],
): PartSums {
  return {
    update({ end }, count, weight) {
      for (let part = 0; part < count; part++) {
        const at = (end[part] as number) - 1;
        weights[at] = add(weights[at] as number, weight);
      }
    },
    sum({ run, end }, count) {
      let sum = 0;
      for (let part = 0; part < count; part++) {
        const own = run[part] as number;
        const to = isBehind ? (end[part] as number) : (start[own + 1] as number);
        let at = isBehind ? (start[own] as number) : (end[part] as number) - 1;
        for (; at < to; at++) sum = add(sum, weights[at] as number);
      }
      return sum;
    },
  };
}

/** Both in a logarithm of steps; where weights reach what is before, a run is counted from its end. */
function fenwickTree(
  tree: Float64Array,
  start: Int32Array,
  isBehind: boolean,
  add: Monoid['add'],
): PartSums {
  return {
    update({ run, end }, count, weight) {
      for (let part = 0; part < count; part++) {
        const base = start[run[part] as number] as number;
        const size = (start[(run[part] as number) + 1] as number) - base;
        const length = (end[part] as number) - base;
        for (let at = isBehind ? length : size + 1 - length; at <= size; at += at & -at) {
          tree[base + at - 1] = add(tree[base + at - 1] as number, weight);
        }
      }
    },
    sum({ run, end }, count) {
      let sum = 0;
      for (let part = 0; part < count; part++) {
        const base = start[run[part] as number] as number;
        const size = (start[(run[part] as number) + 1] as number) - base;
        const length = (end[part] as number) - base;
        for (let at = isBehind ? length : size + 1 - length; at > 0; at -= at & -at) {
          sum = add(sum, tree[base + at - 1] as number);
        }
      }
      return sum;
    },
  };
}
