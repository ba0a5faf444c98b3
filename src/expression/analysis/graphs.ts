/** A directed edge between two numbered nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** An edge that closes a cycle with edges before it, and those, in the order of the path. */
interface Cycle<E extends Edge> {
  readonly closing: E;
  readonly others: readonly E[];
}

/**
 * The cycles that edges close, in their order. An edge that closes one is left
 * out of the search for the next.
 *
 * @param nodes how many nodes there are, numbered from 0
 */
export function cyclesOf<E extends Edge>(edges: readonly E[], nodes: number): Cycle<E>[] {
  // Edges that all lead to higher nodes close none.
  if (edges.every(({ from, to }) => from < to)) return [];
  const cycles: Cycle<E>[] = [];
  const graph = new Graph<E>(nodes);
  for (const closing of edges) {
    const others = graph.shortestPath(closing.to, closing.from);
    if (others === undefined) graph.add(closing);
    else cycles.push({ closing, others });
  }
  return cycles;
}

/** The shortest path along edges from one node to another; undefined where there is none. */
export function pathBetween<E extends Edge>(
  edges: readonly E[],
  nodes: number,
  { from, to }: Edge,
): readonly E[] | undefined {
  const graph = new Graph<E>(nodes);
  for (const edge of edges) graph.add(edge);
  return graph.shortestPath(from, to);
}

/** Edges that make no cycle. */
class Graph<E extends Edge> {
  readonly #outgoing: E[][];
  readonly #entered: Uint8Array;
  /** The number of the search that reached a node last: arrays that are kept make each search cheap. */
  readonly #reached: Int32Array;
  readonly #arrivals: E[] = [];
  readonly #queue: Int32Array;
  #search = 0;

  constructor(nodes: number) {
    this.#outgoing = Array.from({ length: nodes }, () => []);
    this.#entered = new Uint8Array(nodes);
    this.#reached = new Int32Array(nodes);
    this.#queue = new Int32Array(nodes);
  }

  add(edge: E): void {
    this.#outgoing[edge.from]?.push(edge);
    this.#entered[edge.to] = 1;
  }

  /** The shortest path from one node to another, breadth first; undefined where there is none. */
  shortestPath(from: number, to: number): E[] | undefined {
    if (from === to) return [];
    // Most edges only prolong what there is: then no search is needed.
    if (this.#entered[to] === 0) return undefined;
    this.#search += 1;
    this.#reached[from] = this.#search;
    this.#queue[0] = from;
    let length = 1;
    for (let at = 0; at < length; at += 1) {
      for (const edge of this.#outgoing[this.#queue[at] as number] as E[]) {
        if (this.#reached[edge.to] === this.#search) continue;
        this.#reached[edge.to] = this.#search;
        this.#arrivals[edge.to] = edge;
        if (edge.to === to) return this.#pathBack(from, to);
        this.#queue[length] = edge.to;
        length += 1;
      }
    }
    return undefined;
  }

  #pathBack(from: number, to: number): E[] {
    const path: E[] = [];
    for (let node = to; node !== from; ) {
      const edge = this.#arrivals[node] as E;
      path.push(edge);
      node = edge.from;
    }
    return path.reverse();
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
