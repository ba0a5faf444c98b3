/** A directed edge between two numbered nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** An edge that closes a circle with edges before it, and those, in the order of the way. */
export interface Circle<E extends Edge> {
  readonly closing: E;
  readonly others: readonly E[];
}

/**
 * The circles that edges close, those of one component in their order. An edge
 * that closes one is left out of the search for the next. In a component of very
 * many edges not all circles are found, but always the first.
 *
 * @param mostWork how many edges are looked at to find further circles in one component
 */
export function circlesOf<E extends Edge>(
  edges: readonly E[],
  nodes: number,
  mostWork = 10_000_000,
): Circle<E>[] {
  if (edges.every(({ from, to }) => from < to)) return [];
  const component = stronglyConnected(edges, nodes);
  const tangles = new Map<number, E[]>();
  for (const edge of edges) {
    const id = component[edge.from] as number;
    if (id !== component[edge.to]) continue;
    const tangle = tangles.get(id);
    if (tangle === undefined) tangles.set(id, [edge]);
    else tangle.push(edge);
  }
  return [...tangles.values()].flatMap((tangle) => circlesIn(tangle, mostWork));
}

function circlesIn<E extends Edge>(tangle: readonly E[], mostWork: number): Circle<E>[] {
  const circles: Circle<E>[] = [];
  let edges = tangle;
  let known = 0;
  for (
    let work = 0;
    work < mostWork;
    work += edges.length * Math.ceil(Math.log2(edges.length + 1))
  ) {
    const at = firstClosing(edges, known);
    const closing = edges[at];
    if (closing === undefined) break;
    circles.push({ closing, others: way(edges.slice(0, at), closing.to, closing.from) });
    edges = edges.filter((edge) => edge !== closing);
    known = at;
  }
  return circles;
}

/** The index of the first edge that closes a circle, given that the first `known` close none. */
function firstClosing(edges: readonly Edge[], known: number): number {
  let low = known;
  let high = edges.length;
  if (isAcyclic(edges, high)) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isAcyclic(edges, middle)) low = middle;
    else high = middle;
  }
  return high - 1;
}

/** Whether the first `count` edges make no circle: nodes without incoming edges go, until none is left. */
function isAcyclic(edges: readonly Edge[], count: number): boolean {
  const used = edges.slice(0, count);
  const incoming = new Map<number, number>();
  for (const { from, to } of used) {
    incoming.set(from, incoming.get(from) ?? 0);
    incoming.set(to, (incoming.get(to) ?? 0) + 1);
  }
  const next = outgoing(used);
  const free = [...incoming].filter(([, edgesIn]) => edgesIn === 0).map(([node]) => node);
  let left = incoming.size;
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    left -= 1;
    for (const { to } of next.get(node) ?? []) {
      const edgesIn = (incoming.get(to) as number) - 1;
      incoming.set(to, edgesIn);
      if (edgesIn === 0) free.push(to);
    }
  }
  return left === 0;
}

/** The shortest way from one node to another, breadth first. */
function way<E extends Edge>(edges: readonly E[], from: number, to: number): E[] {
  const next = outgoing(edges);
  const arrivals = new Map<number, E | undefined>([[from, undefined]]);
  for (const node of arrivals.keys()) {
    if (node === to) break;
    for (const edge of next.get(node) ?? []) {
      if (!arrivals.has(edge.to)) arrivals.set(edge.to, edge);
    }
  }
  const steps: E[] = [];
  for (let edge = arrivals.get(to); edge !== undefined; edge = arrivals.get(edge.from)) {
    steps.push(edge);
  }
  return steps.reverse();
}

function outgoing<E extends Edge>(edges: readonly E[]): Map<number, E[]> {
  const next = new Map<number, E[]>();
  for (const edge of edges) {
    const list = next.get(edge.from);
    if (list === undefined) next.set(edge.from, [edge]);
    else list.push(edge);
  }
  return next;
}

/**
 * A number for each node, the same for those that reach each other (Tarjan,
 * with its own stack: a chain may be longer than the call stack).
 */
function stronglyConnected(edges: readonly Edge[], nodes: number): readonly number[] {
  const next = outgoing(edges);
  const index = new Array<number>(nodes).fill(-1);
  const low = new Array<number>(nodes).fill(0);
  const component = new Array<number>(nodes).fill(-1);
  const open: number[] = [];
  let counter = 0;
  const enter = (node: number) => {
    index[node] = counter;
    low[node] = counter;
    counter += 1;
    open.push(node);
    return { node, edge: 0 };
  };
  const lower = (node: number, to: number) => {
    low[node] = Math.min(low[node] as number, to);
  };
  for (let root = 0; root < nodes; root += 1) {
    if (index[root] !== -1) continue;
    const path = [enter(root)];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { node } = step;
      const to = next.get(node)?.[step.edge]?.to;
      step.edge += 1;
      if (to !== undefined) {
        if (index[to] === -1) path.push(enter(to));
        else if (component[to] === -1) lower(node, index[to] as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.node, low[node] as number);
      if (low[node] !== index[node]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = node;
        if (member === node) break;
      }
    }
  }
  return component;
}
