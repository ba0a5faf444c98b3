import { addExact, compareExact, type Exact } from '../exact/number.js';
import type { Solver } from './propagate.js';
import type { JoinTree } from './relation.js';
import { LARGEST, type Weights } from './weights.js';

/** The largest value of a sum over some labels, and events that have it. */
export interface Extreme {
  readonly value: Exact;
  /** For each label of the trees, the position of its event. */
  readonly positions: ReadonlyMap<number, number>;
}

/** For each event of a label what it adds to the sum, or undefined where that is no number. */
export type Summands = ReadonlyMap<number, readonly (Exact | undefined)[]>;

/**
 * The largest sum over the bindings of the trees, by maxima: each event sends the
 * largest sum that the labels below it can have, as its rank among such sums, so that it
 * stays exact.
 *
 * Twice along each edge of the trees, and O(events * log events) for the ranks. Undefined where no
 * binding has a value. The relations must be monotone.
 */
export function largestSum(
  solver: Solver,
  trees: readonly JoinTree[],
  parts: Summands,
): Extreme | undefined {
  let value: Exact = 0;
  const positions = new Map<number, number>();
  for (const tree of trees) {
    const best = new Map<number, (Exact | undefined)[]>();
    const bestOf = (label: number) => {
      const known = best.get(label);
      if (known !== undefined) return known;
      const own = parts.get(label) ?? new Array<Exact>(solver.list(label).size).fill(0);
      best.set(label, [...own]);
      return best.get(label) as (Exact | undefined)[];
    };
    const ranks = new Map<number, Ranked>();
    const received = new Map<number, Weights<number>>();
    for (const { child, parent, relation } of [...tree.edges].reverse()) {
      const ranked = rank(bestOf(child));
      ranks.set(child, ranked);
      const sent = solver.propagate(relation, parent, ranked.ranks, LARGEST);
      received.set(child, sent);
      const above = bestOf(parent);
      for (const [event, sum] of above.entries()) {
        const of = sent[event] as number;
        above[event] =
          of === 0 || sum === undefined ? undefined : addExact(sum, ranked.values[of - 1] as Exact);
      }
    }
    const root = rank(bestOf(tree.root));
    if (root.values.length === 0) return undefined;
    value = addExact(value, root.values.at(-1) as Exact);
    positions.set(tree.root, root.ranks.indexOf(root.values.length));
    for (const { child, parent, relation } of tree.edges) {
      // Which events of the child go with the one of the parent that is known now.
      const above = positions.get(parent) as number;
      const only = new Float64Array(solver.list(parent).size);
      only[above] = 1;
      const related = solver.propagate(relation, child, only, LARGEST);
      const wanted = received.get(child)?.[above];
      const { ranks: own } = ranks.get(child) as Ranked;
      positions.set(
        child,
        related.findIndex((goes, at) => goes > 0 && own[at] === wanted),
      );
    }
  }
  return { value, positions };
}

interface Ranked {
  /** From 1; 0 for no value. */
  readonly ranks: Float64Array;
  /** Ascending. */
  readonly values: readonly Exact[];
}

function rank(sums: readonly (Exact | undefined)[]): Ranked {
  const sorted = sums
    .flatMap((value, at) => (value === undefined ? [] : [{ value, at }]))
    .sort((a, b) => compareExact(a.value, b.value));
  const ranks = new Float64Array(sums.length);
  const values: Exact[] = [];
  for (const { value, at } of sorted) {
    const last = values.at(-1);
    if (last === undefined || compareExact(last, value) !== 0) values.push(value);
    ranks[at] = values.length;
  }
  return { ranks, values };
}
