import type { JoinTree, TreeEdge } from './join-tree.js';
import type { Counting } from './monoid.js';
import type { Solver } from './solver.js';

/** What one way of counting comes to. */
export interface TreeCounts {
  /** Of each tree, how many bindings its labels have; the bindings of all are their product. */
  readonly totals: readonly number[];
  /** For each label that was wanted, and each of its events, the bindings of its tree with it. */
  readonly of: ReadonlyMap<number, Float64Array>;
}

/**
 * Counts the bindings of each tree by messages: from the leaves to the root, and from there to the
 * labels that are wanted. One message for each edge, and another for each edge on the way to what is
 * wanted; O(events) besides.
 *
 * @param masks for some labels, 1 for the events that may be bound and 0 for others
 */
export function countTrees(
  solver: Solver,
  trees: readonly JoinTree[],
  wanted: ReadonlySet<number>,
  counting: Counting,
  masks: ReadonlyMap<number, Float64Array> = new Map(),
): TreeCounts {
  const of = new Map<number, Float64Array>();
  const totals = trees.map((tree) => {
    const children = childrenOf(tree);
    const up = new Map<number, Float64Array>();

    /** For each event of a label the product of what it receives, but from one child. */
    const product = (label: number, except?: number, fromAbove?: Float64Array): Float64Array => {
      const received = (children.get(label) ?? [])
        .filter(({ child }) => child !== except)
        .map(({ child }) => up.get(child) as Float64Array);
      if (fromAbove !== undefined) received.push(fromAbove);
      const counts = masks.get(label)?.slice() ?? new Float64Array(solver.list(label).size).fill(1);
      for (const message of received) {
        for (let at = 0; at < counts.length; at++) {
          counts[at] = counting.multiply(counts[at] as number, message[at] as number);
        }
      }
      counting.see(counts);
      return counts;
    };
    const send = ({ relation }: TreeEdge, to: number, weights: Float64Array): Float64Array => {
      const received = solver.message(relation, to, weights, counting);
      counting.see(received);
      return received;
    };

    for (const edge of [...tree.edges].reverse()) {
      up.set(edge.child, send(edge, edge.parent, product(edge.child)));
    }
    const atRoot = product(tree.root);
    if (wanted.has(tree.root)) of.set(tree.root, atRoot);
    const down = new Map<number, Float64Array>();
    const onTheWay = ancestorsOf(tree, wanted);
    for (const edge of tree.edges) {
      if (!onTheWay.has(edge.child)) continue;
      const weights = product(edge.parent, edge.child, down.get(edge.parent));
      const received = send(edge, edge.child, weights);
      down.set(edge.child, received);
      if (wanted.has(edge.child)) of.set(edge.child, product(edge.child, undefined, received));
    }
    const total = Float64Array.of(atRoot.reduce(counting.add, 0));
    counting.see(total);
    return total[0] as number;
  });
  return { totals, of };
}

function childrenOf({ edges }: JoinTree): Map<number, TreeEdge[]> {
  const children = new Map<number, TreeEdge[]>();
  for (const edge of edges) {
    const known = children.get(edge.parent);
    if (known === undefined) children.set(edge.parent, [edge]);
    else known.push(edge);
  }
  return children;
}

/** The labels, but the root, through which messages from the root must go. */
function ancestorsOf({ edges }: JoinTree, wanted: ReadonlySet<number>): Set<number> {
  const result = new Set<number>();
  for (const { child, parent } of [...edges].reverse()) {
    if (wanted.has(child) || result.has(child)) result.add(child).add(parent);
  }
  return result;
}
