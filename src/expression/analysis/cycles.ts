/** A directed edge between two numbered nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** An edge that closes a cycle with edges before it, and those, in the order of the path. */
export interface Cycle<E extends Edge> {
  readonly closing: E;
  readonly others: readonly E[];
}

/**
 * The cycles that edges close, in their order. An edge that closes one is left
 * out of the search for the next.
 */
export function cyclesOf<E extends Edge>(edges: readonly E[]): Cycle<E>[] {
  const cycles: Cycle<E>[] = [];
  const outgoing = new Map<number, E[]>();
  const entered = new Set<number>();
  for (const edge of edges) {
    const { from, to } = edge;
    // Most edges only prolong what there is, and need no search.
    const mayClose = from === to || (entered.has(from) && outgoing.has(to));
    const others = mayClose ? shortestPath(outgoing, to, from) : undefined;
    if (others !== undefined) {
      cycles.push({ closing: edge, others });
      continue;
    }
    entered.add(to);
    const list = outgoing.get(from);
    if (list === undefined) outgoing.set(from, [edge]);
    else list.push(edge);
  }
  return cycles;
}

/** The shortest path from one node to another, breadth first; undefined where there is none. */
function shortestPath<E extends Edge>(
  outgoing: ReadonlyMap<number, readonly E[]>,
  from: number,
  to: number,
): E[] | undefined {
  const arrivals = new Map<number, E | undefined>([[from, undefined]]);
  for (const node of arrivals.keys()) {
    if (arrivals.has(to)) break;
    for (const edge of outgoing.get(node) ?? []) {
      if (!arrivals.has(edge.to)) arrivals.set(edge.to, edge);
    }
  }
  if (!arrivals.has(to)) return undefined;
  const path: E[] = [];
  for (let edge = arrivals.get(to); edge !== undefined; edge = arrivals.get(edge.from)) {
    path.push(edge);
  }
  return path.reverse();
}
