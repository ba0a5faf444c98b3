import { addExact, compareExact, type ExactNumber } from '../exact/number.js';
import type { JoinTree, TreeEdge } from '../query/query.js';
import type { Solver } from './propagate.js';
import type { Relation } from './relation.js';
import { BIGINTS, type Counting, DoubleCounting, MAXIMUM, type Weights } from './weights.js';

/** A function that returns the number of bindings that contain a label's event, given the event's position. */
export type BindingCountAt = (position: number) => number | bigint;

/** Adds two numbers of bindings exactly. */
export function addCounts(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return BigInt(a) + BigInt(b);
}

/** The numbers of bindings of some labels. */
export interface TreeTotals {
  readonly total: bigint;
  /** By wanted label, the number of bindings that contain each event. */
  readonly of: ReadonlyMap<number, BindingCountAt>;
}

/** Limit up to which doubles represent every integer. */
const DOUBLE_LIMIT = 2 ** 53;

/**
 * Counts bindings exactly: in doubles, and again in bigints if the doubles may have been rounded.
 *
 * @param masks by label, 1 for each event that may be bound and 0 for each other event
 * @returns undefined if the number of bindings overflows a double
 */
export function countExactly(
  solver: Solver,
  trees: readonly JoinTree<Relation>[],
  wantedLabels: ReadonlySet<number>,
  masks?: ReadonlyMap<number, Uint8Array>,
): TreeTotals | undefined {
  const doubles = new DoubleCounting();
  const treeCounts = countTrees(solver, trees, wantedLabels, doubles, masks);
  if (doubles.peak < DOUBLE_LIMIT) return combine(trees, treeCounts);
  if (!Number.isFinite(doubles.peak)) return undefined;
  return combine(trees, countTrees(solver, trees, wantedLabels, BIGINTS, masks));
}

/** The result of counting in doubles or in bigints. */
interface TreeCounts<T> {
  /** Each tree's number of bindings. The total number of bindings is the product of these numbers. */
  readonly totals: readonly T[];
  /** By wanted label, the number of its tree's bindings that contain each event. */
  readonly of: ReadonlyMap<number, Weights<T>>;
}

/**
 * Counts each tree's bindings. Propagates weights from the leaves to the root, and from the root to the wanted labels.
 *
 * Propagates once along each edge, and again along each edge on a path to a wanted label, plus O(events).
 *
 * @param masks as for `countExactly`
 */
export function countTrees<T extends number | bigint>(
  solver: Solver,
  trees: readonly JoinTree<Relation>[],
  wantedLabels: ReadonlySet<number>,
  counting: Counting<T>,
  masks: ReadonlyMap<number, Uint8Array> = new Map(),
): TreeCounts<T> {
  const of = new Map<number, Weights<T>>();
  const totals = trees.map((tree) => {
    const up = new Map<number, Weights<T>>();

    /** Multiplies the weights that each event of a label receives, except the weights from `exceptLabel`. */
    const product = (
      label: number,
      exceptLabel?: number,
      parentWeights?: Weights<T>,
    ): Weights<T> => {
      const childWeights = tree.edges
        .filter(({ parent, child }) => parent === label && child !== exceptLabel)
        .map(({ child }) => up.get(child) as Weights<T>);
      if (parentWeights !== undefined) childWeights.push(parentWeights);
      const mask = masks.get(label);
      const counts = counting.list(solver.list(label).size);
      for (let position = 0; position < counts.length; position++) {
        let count = mask?.[position] === 0 ? counting.zero : counting.one;
        for (const weights of childWeights)
          count = counting.multiply(count, weights[position] as T);
        counts[position] = count;
      }
      counting.recordPeak(counts);
      return counts;
    };
    const send = ({ link }: TreeEdge<Relation>, to: number, weights: Weights<T>): Weights<T> => {
      const childWeights = solver.propagate(link, to, weights, counting);
      counting.recordPeak(childWeights);
      return childWeights;
    };

    for (const edge of [...tree.edges].reverse()) {
      up.set(edge.child, send(edge, edge.parent, product(edge.child)));
    }
    const root = product(tree.root);
    if (wantedLabels.has(tree.root)) of.set(tree.root, root);
    const down = new Map<number, Weights<T>>();
    const neededLabels = ancestorsOf(tree, wantedLabels);
    for (const edge of tree.edges) {
      if (!neededLabels.has(edge.child)) continue;
      const weights = product(edge.parent, edge.child, down.get(edge.parent));
      const childWeights = send(edge, edge.child, weights);
      down.set(edge.child, childWeights);
      if (wantedLabels.has(edge.child))
        of.set(edge.child, product(edge.child, undefined, childWeights));
    }
    const total = counting.list(1);
    for (let position = 0; position < root.length; position++) {
      total[0] = counting.add(total[0] as T, root[position] as T);
    }
    counting.recordPeak(total);
    return total[0] as T;
  });
  return { totals, of };
}

/** Returns the labels on the paths from the root to wanted labels. */
function ancestorsOf(
  { edges }: JoinTree<Relation>,
  wantedLabels: ReadonlySet<number>,
): Set<number> {
  const result = new Set<number>();
  for (const { child, parent } of [...edges].reverse()) {
    if (wantedLabels.has(child) || result.has(child)) result.add(child).add(parent);
  }
  return result;
}

/** Multiplies each tree's counts by the other trees' totals, because a binding consists of one part from each tree. */
function combine<T extends number | bigint>(
  trees: readonly JoinTree<Relation>[],
  counts: TreeCounts<T>,
): TreeTotals {
  const totals = counts.totals.map(BigInt);
  const total = totals.reduce((product, total) => product * total, 1n);
  const of = new Map<number, BindingCountAt>();
  trees.forEach(({ root, edges }, tree) => {
    const otherTotal = totals.reduce(
      (product, total, i) => (i === tree ? product : product * total),
      1n,
    );
    for (const label of [root, ...edges.map(({ child }) => child)]) {
      const labelCounts = counts.of.get(label);
      if (labelCounts === undefined) continue;
      const count = (position: number) => labelCounts[position] as T;
      of.set(label, otherTotal === 1n ? count : (position) => BigInt(count(position)) * otherTotal);
    }
  });
  return { total, of };
}

/** The largest value of a sum over some labels, with a binding that has this value. */
interface Extreme {
  readonly value: ExactNumber;
  /** By label, the position of its event. */
  readonly positions: ReadonlyMap<number, number>;
}

/** By label, the addend of each event, or undefined if the addend is not a number. */
export type Summands = ReadonlyMap<number, readonly (ExactNumber | undefined)[]>;

/**
 * Returns the largest sum over the trees' bindings. Each event propagates the largest sum of its subtree as a rank
 * among the label's sums, which is exact.
 *
 * Propagates twice along each edge of the trees, plus O(events * log events) for the ranks. Returns undefined if no
 * binding has a value. The relations must be monotone.
 */
export function findLargestSum(
  solver: Solver,
  trees: readonly JoinTree<Relation>[],
  parts: Summands,
): Extreme | undefined {
  let value: ExactNumber = 0;
  const positions = new Map<number, number>();
  for (const tree of trees) {
    const bestSums = new Map<number, (ExactNumber | undefined)[]>();
    const bestSumsOf = (label: number) => {
      const cached = bestSums.get(label);
      if (cached !== undefined) return cached;
      const addends = parts.get(label) ?? new Array<ExactNumber>(solver.list(label).size).fill(0);
      bestSums.set(label, [...addends]);
      return bestSums.get(label) as (ExactNumber | undefined)[];
    };
    const ranks = new Map<number, Ranking>();
    const receivedRanks = new Map<number, Weights<number>>();
    for (const { child, parent, link } of [...tree.edges].reverse()) {
      const ranking = rank(bestSumsOf(child));
      ranks.set(child, ranking);
      const sentRanks = solver.propagate(link, parent, ranking.ranks, MAXIMUM);
      receivedRanks.set(child, sentRanks);
      const parentSums = bestSumsOf(parent);
      for (const [event, sum] of parentSums.entries()) {
        const of = sentRanks[event] as number;
        parentSums[event] =
          of === 0 || sum === undefined
            ? undefined
            : addExact(sum, ranking.values[of - 1] as ExactNumber);
      }
    }
    const root = rank(bestSumsOf(tree.root));
    if (root.values.length === 0) return undefined;
    value = addExact(value, root.values.at(-1) as ExactNumber);
    positions.set(tree.root, root.ranks.indexOf(root.values.length));
    for (const { child, parent, link } of tree.edges) {
      // Find the child's events related to the parent's event, which is already chosen.
      const parentPosition = positions.get(parent) as number;
      const singleWeight = new Float64Array(solver.list(parent).size);
      singleWeight[parentPosition] = 1;
      const relatedWeights = solver.propagate(link, child, singleWeight, MAXIMUM);
      const wantedRank = receivedRanks.get(child)?.[parentPosition];
      const { ranks: childRanks } = ranks.get(child) as Ranking;
      positions.set(
        child,
        relatedWeights.findIndex((weight, at) => weight > 0 && childRanks[at] === wantedRank),
      );
    }
  }
  return { value, positions };
}

interface Ranking {
  /** Ranks from 1; 0 for an event without a value. */
  readonly ranks: Float64Array;
  /** The distinct values, ascending. */
  readonly values: readonly ExactNumber[];
}

function rank(sums: readonly (ExactNumber | undefined)[]): Ranking {
  const sortedSums = sums
    .flatMap((value, at) => (value === undefined ? [] : [{ value, at }]))
    .sort((a, b) => compareExact(a.value, b.value));
  const ranks = new Float64Array(sums.length);
  const values: ExactNumber[] = [];
  for (const { value, at } of sortedSums) {
    const lastValue = values.at(-1);
    if (lastValue === undefined || compareExact(lastValue, value) !== 0) values.push(value);
    ranks[at] = values.length;
  }
  return { ranks, values };
}
