import type { MeaningPart } from '../../expression/index.js';
import {
  conjunctsOf,
  type Expression,
  meaningOf,
  OWN_PROBE,
  printOperand,
} from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from '../order/matches.js';

/** Two labels whose order an expression asks for. */
export interface LabelPair {
  readonly from: string;
  readonly to: string;
  readonly kind: 'arrow' | 'concurrent';
  readonly isNext: boolean;
  /** As text for people. */
  readonly text: string;
}

/** The pairs of labels that WHEN orders, those through absent labels included; each once. */
export function orderedPairs(expression: Expression): LabelPair[] {
  const { parts, absences } = meaningOf(expression);
  const all = [...parts, ...absences.flatMap((absence) => absence.parts)];
  const pairs = new Map<string, LabelPair>();
  for (const part of all) {
    if (!isOrder(part) || part.from === part.to) continue;
    const { from, to, kind } = part;
    const isNext = part.kind === 'arrow' && part.next;
    const sign = kind === 'concurrent' ? '||' : isNext ? '-> NEXT' : '->';
    pairs.set(`${from} ${sign} ${to}`, { from, to, kind, isNext, text: `${from} ${sign} ${to}` });
  }
  return [...pairs.values()];
}

function isOrder(
  part: MeaningPart,
): part is MeaningPart & { readonly kind: 'arrow' | 'concurrent' } {
  return part.kind === 'arrow' || part.kind === 'concurrent';
}

/** How FILTER relates the probes of two labels. */
type ProbeRelation = '=' | '!=' | undefined;

/** The relation of a conjunct of FILTER such as `a.probe = b.probe`. */
export function probeRelation({ filter }: Expression, a: string, b: string): ProbeRelation {
  const texts = [`${a}.probe`, `${b}.probe`].sort().join();
  for (const one of filter === undefined ? [] : conjunctsOf(filter.condition)) {
    if (one.kind !== 'comparison' || (one.comparator !== '=' && one.comparator !== '!=')) continue;
    if ([one.left, one.right].map(printOperand).sort().join() === texts) return one.comparator;
  }
  return undefined;
}

/** Which probes of two labels are tied: at least one timeline of each is the same, reaches, or is reached by. */
export interface ProbeTies {
  readonly tied: readonly (readonly [number, number])[];
  readonly untied: readonly (readonly [number, number])[];
}

/**
 * The pairs of probes at which two labels have events, by whether timelines tie them.
 *
 * O(probes of the first * interactions between timelines).
 *
 * @param viaOwn true if timelines of Perturb's own count too
 */
export function probeTies(
  session: Session,
  a: Matches,
  b: Matches,
  relation: ProbeRelation,
  viaOwn: boolean,
): ProbeTies {
  const graph = graphOf(session, viaOwn);
  const { probe } = session.timelines;
  const groupByProbe = (lines: Int32Array) => {
    const groups = new Map<number, number[]>();
    for (const line of lines) {
      const own = groups.get(at(probe, line)) ?? [];
      if (own.length === 0) groups.set(at(probe, line), own);
      own.push(line);
    }
    return groups;
  };
  const [ofA, ofB] = [groupByProbe(a.sources), groupByProbe(b.sources)];
  const [tied, untied]: [[number, number][], [number, number][]] = [[], []];
  for (const [p, lines] of ofA) {
    const isReached = new Uint8Array(probe.length);
    for (const next of [graph.after, graph.before]) reach(next, lines, isReached);
    for (const [q, others] of ofB) {
      if (relation !== undefined && (p === q) !== (relation === '=')) continue;
      (others.some((line) => isReached[line] !== 0) ? tied : untied).push([p, q]);
    }
  }
  return { tied, untied };
}

/** True if some timeline of one probe is the same as, reaches, or is reached by some timeline of the other. */
export function areProbesTied(session: Session, p: number, q: number): boolean {
  if (p === q) return true;
  const known = tiedProbes.get(session) ?? new Map<number, Set<number>>();
  tiedProbes.set(session, known);
  const own = known.get(p) ?? probesTiedTo(session, p);
  known.set(p, own);
  return own.has(q);
}

const tiedProbes = new WeakMap<Session, Map<number, Set<number>>>();

function probesTiedTo(session: Session, p: number): Set<number> {
  const { probe } = session.timelines;
  const graph = graphOf(session, false);
  const lines = [...probe.keys()].filter((line) => probe[line] === p);
  const isReached = new Uint8Array(probe.length);
  for (const next of [graph.after, graph.before]) reach(next, lines, isReached);
  return new Set(probe.filter((_, line) => isReached[line] !== 0));
}

/** Marks the timelines that some reach in one direction, themselves included. */
function reach(next: Neighbours, lines: readonly number[], isReached: Uint8Array): void {
  const seen = new Uint8Array(isReached.length);
  const open = [...lines];
  for (const line of open) seen[line] = 1;
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    isReached[line] = 1;
    for (let place = at(next.start, line); place < at(next.start, line + 1); place++) {
      const other = at(next.lines, place);
      if (seen[other] === 1) continue;
      seen[other] = 1;
      open.push(other);
    }
  }
}

/** For each timeline, those next to it in one direction. */
interface Neighbours {
  readonly start: Int32Array;
  readonly lines: Int32Array;
}

interface TimelineGraph {
  readonly after: Neighbours;
  readonly before: Neighbours;
}

const graphs = new WeakMap<Session, Map<boolean, TimelineGraph>>();

function graphOf(session: Session, viaOwn: boolean): TimelineGraph {
  const known = graphs.get(session) ?? new Map<boolean, TimelineGraph>();
  graphs.set(session, known);
  const graph = known.get(viaOwn) ?? makeGraph(session, viaOwn);
  known.set(viaOwn, graph);
  return graph;
}

function makeGraph(session: Session, viaOwn: boolean): TimelineGraph {
  const [from, to]: [number[], number[]] = [[], []];
  const count = session.timelines.probe.length;
  const known = new Set<number>();
  forEachTie(session, viaOwn, (sender, receiver) => {
    const key = sender * count + receiver;
    if (known.has(key)) return;
    known.add(key);
    from.push(sender);
    to.push(receiver);
  });
  return { after: neighbours(count, from, to), before: neighbours(count, to, from) };
}

function neighbours(count: number, from: readonly number[], to: readonly number[]): Neighbours {
  const start = new Int32Array(count + 1);
  for (const line of from) start[line + 1] = at(start, line + 1) + 1;
  for (let line = 0; line < count; line++) start[line + 1] = at(start, line + 1) + at(start, line);
  const next = start.slice();
  const lines = new Int32Array(to.length);
  from.forEach((line, place) => {
    lines[at(next, line)] = to[place] as number;
    next[line] = at(next, line) + 1;
  });
  return { start, lines };
}

/** Visits the timelines of each interaction; those of Perturb's own only if asked for. */
function forEachTie(
  { order, timelines, probes }: Session,
  viaOwn: boolean,
  visit: (from: number, to: number) => void,
): void {
  const own = viaOwn ? -1 : probes.indexOf(OWN_PROBE);
  for (let receive = 0; receive < order.receives.length; receive++) {
    const to = at(order.receiveTimeline, receive);
    if (timelines.probe[to] === own) continue;
    for (let edge = at(order.edgeStart, receive); edge < at(order.edgeStart, receive + 1); edge++) {
      const from = at(order.edgeTimeline, edge);
      if (timelines.probe[from] !== own) visit(from, to);
    }
  }
}

/** The groups of timelines that interactions connect, apart from Perturb's own, which are alone. */
export function componentsOf(session: Session): { groupOf: Int32Array; groups: number } {
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
