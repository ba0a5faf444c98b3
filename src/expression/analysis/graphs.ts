/** A directed edge between two numbered nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** An edge that closes a cycle, and the cycle's earlier edges in path order. */
interface Cycle<E extends Edge> {
  readonly closing: E;
  readonly path: readonly E[];
}

/** Returns the cycles that edges close, in edge order. Later searches ignore an edge that closed a cycle. */
export function cyclesOf<E extends Edge>(edges: readonly E[]): Cycle<E>[] {
  // If every edge leads to a higher node, there is no cycle.
  if (edges.every(({ from, to }) => from < to)) return [];
  const cycles: Cycle<E>[] = [];
  const graph = new Graph<E>();
  for (const closing of edges) {
    const path = graph.shortestPath(closing.to, closing.from);
    if (path === undefined) graph.add(closing);
    else cycles.push({ closing, path });
  }
  return cycles;
}

/** An acyclic set of edges. */
export class Graph<E extends Edge> {
  readonly #outgoing = new Map<number, E[]>();
  readonly #entered = new Set<number>();

  add(edge: E): void {
    const siblings = this.#outgoing.get(edge.from);
    if (siblings === undefined) this.#outgoing.set(edge.from, [edge]);
    else siblings.push(edge);
    this.#entered.add(edge.to);
  }

  /** Returns the shortest path between two nodes (breadth-first search); undefined if there is none. */
  shortestPath(from: number, to: number): E[] | undefined {
    if (from === to) return [];
    // Most edges only extend the graph, and need no search.
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

/** The connected components of a set (union-find). */
export class Components<T> {
  readonly #parents = new Map<T, T>();

  /** Merges the components of all items. */
  join([first, ...otherItems]: readonly T[]): void {
    if (first === undefined) return;
    const root = this.rootOf(first);
    for (const otherItem of otherItems) this.#parents.set(this.rootOf(otherItem), root);
  }

  /** Returns the representative of an item's component. All members have the same representative. */
  rootOf(item: T): T {
    let root = item;
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      root = parent;
      parent = this.#parents.get(root);
    }
    for (let at = item; at !== root; ) {
      const parent = this.#parents.get(at) as T;
      this.#parents.set(at, root);
      at = parent;
    }
    return root;
  }
}
