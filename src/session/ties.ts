import { OWN_PROBE } from '../basics/index.js';
import { at } from '../source/index.js';
import type { Session } from './session.js';

/* Connections between a session's timelines, or probes, through interactions. */

/** True if interactions order a session: the session contains interactions, or its format can. */
export function isCausallyOrdered(session: Session): boolean {
  return session.reading?.isCausal === true || hasInteractions(session);
}

/** True if interactions connect timelines other than Perturb's own. */
export function hasInteractions({ order, timelines, probes }: Session): boolean {
  const ownProbe = probes.indexOf(OWN_PROBE);
  for (let receive = 0; receive < order.receives.length; receive++) {
    if (timelines.probe[at(order.receiveTimeline, receive)] === ownProbe) continue;
    for (let edge = at(order.edgeStart, receive); edge < at(order.edgeStart, receive + 1); edge++) {
      if (timelines.probe[at(order.edgeTimeline, edge)] !== ownProbe) return true;
    }
  }
  return false;
}

/** True if the probes are equal, or if a directed path of interactions connects their timelines. */
export function areProbesTied(session: Session, p: number, q: number): boolean {
  if (p === q) return true;
  const tiesOfSession = tiedProbes.get(session) ?? new Map<number, Set<number>>();
  tiedProbes.set(session, tiesOfSession);
  const ties = tiesOfSession.get(p) ?? probesTiedTo(session, p);
  tiesOfSession.set(p, ties);
  return ties.has(q);
}

const tiedProbes = new WeakMap<Session, Map<number, Set<number>>>();

function probesTiedTo(session: Session, p: number): Set<number> {
  const { probe } = session.timelines;
  const lines = probe.map((_, line) => line).filter((line) => probe[line] === p);
  const tied = new Set<number>();
  for (const line of findTiedTimelines(session, lines, false)) {
    tied.add(at(probe, line));
    if (tied.size === session.probes.length) break;
  }
  return tied;
}

/**
 * Yields the given timelines, and all timelines on directed paths from or to these timelines. May yield a timeline
 * twice.
 *
 * @param includesOwn true if Perturb's own timelines count too
 */
export function* findTiedTimelines(
  session: Session,
  lines: Int32Array,
  includesOwn: boolean,
): Generator<number> {
  const { after, before } = graphOf(session, includesOwn);
  for (const neighbours of [after, before]) yield* reachableTimelines(neighbours, lines);
}

/** Yields the given timelines and all timelines reachable from these in one direction, depth first. */
function* reachableTimelines(neighbours: Neighbours, lines: Int32Array): Generator<number> {
  const isVisited = new Uint8Array(neighbours.start.length);
  const pending: number[] = [];
  const see = (line: number) => {
    if (isVisited[line] === 1) return;
    isVisited[line] = 1;
    pending.push(line);
  };
  for (const startLine of lines) {
    see(startLine);
    for (let line = pending.pop(); line !== undefined; line = pending.pop()) {
      yield line;
      for (
        let index = at(neighbours.start, line);
        index < at(neighbours.start, line + 1);
        index++
      ) {
        see(at(neighbours.lines, index));
      }
    }
  }
}

/** Each timeline's neighbours in one direction, as compressed sparse rows. */
interface Neighbours {
  readonly start: Int32Array;
  readonly lines: Int32Array;
}

interface TimelineGraph {
  readonly after: Neighbours;
  readonly before: Neighbours;
}

const graphs = new WeakMap<Session, Map<boolean, TimelineGraph>>();

function graphOf(session: Session, includesOwn: boolean): TimelineGraph {
  const graphsOfSession = graphs.get(session) ?? new Map<boolean, TimelineGraph>();
  graphs.set(session, graphsOfSession);
  const graph = graphsOfSession.get(includesOwn) ?? makeGraph(session, includesOwn);
  graphsOfSession.set(includesOwn, graph);
  return graph;
}

function makeGraph(session: Session, includesOwn: boolean): TimelineGraph {
  const [from, to]: [number[], number[]] = [[], []];
  const count = session.timelines.probe.length;
  // Ties are visited receiver by receiver, so a repeated tie has the sender's last receiver.
  const lastReceives = new Int32Array(count).fill(-1);
  forEachTie(session, includesOwn, (sender, receiver) => {
    if (lastReceives[sender] === receiver) return;
    lastReceives[sender] = receiver;
    from.push(sender);
    to.push(receiver);
  });
  return { after: neighbours(count, from, to), before: neighbours(count, to, from) };
}

function neighbours(count: number, from: readonly number[], to: readonly number[]): Neighbours {
  const start = new Int32Array(count + 1);
  for (const line of from) start[line + 1] = at(start, line + 1) + 1;
  for (let line = 0; line < count; line++) start[line + 1] = at(start, line + 1) + at(start, line);
  const cursor = start.slice();
  const lines = new Int32Array(to.length);
  from.forEach((line, index) => {
    lines[at(cursor, line)] = to[index] as number;
    cursor[line] = at(cursor, line) + 1;
  });
  return { start, lines };
}

/** Visits the two timelines of each interaction. Skips Perturb's own timelines unless requested. */
function forEachTie(
  { order, timelines, probes }: Session,
  includesOwn: boolean,
  visit: (from: number, to: number) => void,
): void {
  const ownProbe = includesOwn ? -1 : probes.indexOf(OWN_PROBE);
  for (let receive = 0; receive < order.receives.length; receive++) {
    const to = at(order.receiveTimeline, receive);
    if (timelines.probe[to] === ownProbe) continue;
    for (let edge = at(order.edgeStart, receive); edge < at(order.edgeStart, receive + 1); edge++) {
      const from = at(order.edgeTimeline, edge);
      if (timelines.probe[from] !== ownProbe) visit(from, to);
    }
  }
}

/** A partition of timelines: each timeline's group, and the number of groups. */
export interface TimelineGroups {
  readonly groupOf: Int32Array;
  readonly groups: number;
}

const components = new WeakMap<Session, TimelineGroups>();

/**
 * Returns the connected components of a session's timelines, computed once. Each of Perturb's own timelines is a
 * separate component.
 */
export function componentsOf(session: Session): TimelineGroups {
  const groups = components.get(session) ?? findComponents(session);
  components.set(session, groups);
  return groups;
}

function findComponents(session: Session): TimelineGroups {
  const { probe } = session.timelines;
  const parent = Int32Array.from(probe.keys());
  const rootOf = (line: number): number => {
    let root = line;
    while (at(parent, root) !== root) {
      parent[root] = at(parent, at(parent, root));
      root = at(parent, root);
    }
    return root;
  };
  forEachTie(session, false, (from, to) => {
    parent[rootOf(from)] = rootOf(to);
  });
  const groupOf = new Int32Array(probe.length).fill(-1);
  let groups = 0;
  for (let line = 0; line < probe.length; line++) {
    const root = rootOf(line);
    if (groupOf[root] === -1) groupOf[root] = groups++;
    groupOf[line] = at(groupOf, root);
  }
  return { groupOf, groups };
}
