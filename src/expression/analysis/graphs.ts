/** A directed edge between two numbered nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** An edge that closes a cycle with earlier edges, and those, in the order of the path. */
interface Cycle<E extends Edge> {
  readonly closing: E;
  readonly others: readonly E[];
}

/**
 * The cycles that edges close, in the order of the edges. An edge that closes one is left
 * out of the search for the next.
 */
export function cyclesOf<E extends Edge>(edges: readonly E[]): Cycle<E>[] {
  // Edges that all lead to higher nodes close none.
  if (edges.every(({ from, to }) => from < to)) return [];
  const cycles: Cycle<E>[] = [];
  const graph = new Graph<E>();
  for (const closing of edges) {
    const others = graph.shortestPath(closing.to, closing.from);
    if (others === undefined) graph.add(closing);
    else cycles.push({ closing, others });
  }
  return cycles;
}

/** Edges that make no cycle. */
export class Graph<E extends Edge> {
  readonly #outgoing = new Map<number, E[]>();
  readonly #entered = new Set<number>();

  add(edge: E): void {
    const others = this.#outgoing.get(edge.from);
    if (others === undefined) this.#outgoing.set(edge.from, [edge]);
    else others.push(edge);
    this.#entered.add(edge.to);
  }

  /** The shortest path from one node to another, breadth first; undefined where there is none. */
  shortestPath(from: number, to: number): E[] | undefined {
    if (from === to) return [];
    // Most edges only extend what is there: then no search is needed.
    if (!this.#entered.has(to)) return undefined;
    const arrivals = new Map<number, E | undefined>([[from, undefined]]);
    for (const node of arrivals.keys()) {
      for (const edge of this.#outgoing.get(node) ?? []) {
        if (!arrivals.has(edge.to)) arrivals.set(edge.to, edge);
      }
      if (arrivals.has(to)) break;
    }
    const path: E[] = [];
    for (let edge = arrivals.get(to); edge !== undefined; edge = arrivals.get(edge.from)) {
      path.push(edge);
    }
    return path.length === 0 ? undefined : path.reverse();
  }
}

/** The connected components of things that belong together (union-find). */
export class Components<T> {
  readonly #parents = new Map<T, T>();

  /** Puts all of these in one component. */
  join([first, ...others]: readonly T[]): void {
    if (first === undefined) return;
    const root = this.rootOf(first);
    for (const other of others) this.#parents.set(this.rootOf(other), root);
  }

  /** The representative of its component: the same for all members. */
  rootOf(thing: T): T {
    let root = thing;
    for (let up = this.#parents.get(root); up !== undefined && up !== root; ) {
      root = up;
      up = this.#parents.get(root);
    }
    for (let at = thing; at !== root; ) {
      const up = this.#parents.get(at) as T;
      this.#parents.set(at, root);
      at = up;
    }
    return root;
  }
}
