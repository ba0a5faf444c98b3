import type { Binding } from '../evaluation/index.js';
import type { Session } from '../session/index.js';
import { at } from '../source/index.js';
import { causalPath, eventAt, type Hop, seqOf, textAt, timeAt, timelineOf } from './causal-path.js';

/** The part of a session that shows a binding: its events, and the interactions between them. */
export interface Excerpt {
  /** In an order that agrees with what happened before what. */
  readonly events: readonly ShownEvent[];
  /** In the order in which the first event of each comes. */
  readonly probes: readonly string[];
}

export interface ShownEvent {
  /** Its number in the session. */
  readonly event: number;
  /** Its probe, with its timeline if events of several are shown. */
  readonly probe: string;
  readonly name: string;
  readonly seq: string;
  /** The labels that are bound to it; none for an event on the way from one to another. */
  readonly labels: readonly string[];
  /** The places in `events` of those that send what it receives. */
  readonly from: readonly number[];
  /** The number of shown events in the longest chain that leads to it. */
  readonly depth: number;
  /** What is left out on the way to this event; `after` is a place in `events`. */
  readonly gap?: Gap;
}

/** Interactions that are left out: after which event, and how many. */
interface Gap {
  readonly after: number;
  readonly count: number;
}

/** Of a longer path, this many interactions are shown: one half from its start, the other from its end. */
const MOST_HOPS = 4;

/**
 * Cuts a session to what a binding is about: the events bound, and for each two of them that are
 * ordered, the fewest interactions that lead from one to the other.
 *
 * O(receives) for each pair of events.
 *
 * @param others events to be shown as if they were bound, such as mutations
 */
export function excerptOf(
  session: Session,
  binding: Binding,
  others: readonly number[] = [],
): Excerpt {
  const labels = new Map<number, string[]>(others.map((event) => [event, []]));
  for (const [label, place] of Object.entries(binding)) {
    const event = eventAt(session, place);
    if (event === undefined) continue;
    labels.set(event, [...(labels.get(event) ?? []), label]);
  }
  const shown = new Set(labels.keys());
  const senders = new Map<number, Set<number>>();
  const gaps = new Map<number, Gap>();
  for (const hops of pathsBetween(session, [...labels.keys()])) {
    const half = MOST_HOPS / 2;
    const isLong = hops.length > MOST_HOPS;
    const kept = isLong ? [...hops.slice(0, half), ...hops.slice(-half)] : hops;
    for (const { from, to } of kept) {
      shown.add(from).add(to);
      senders.set(to, (senders.get(to) ?? new Set()).add(from));
    }
    const [before, behind] = [kept[half - 1], kept[half]];
    if (!isLong || before === undefined || behind === undefined) continue;
    gaps.set(behind.from, { after: before.to, count: hops.length - MOST_HOPS });
  }
  const line = (event: number) => timelineOf(session, event);
  const order = inOrder(byTime(session, [...shown]), line, senders, gaps);
  const depths = new Map<number, number>();
  const events = order.map((event, place): ShownEvent => {
    const from = [...(senders.get(event) ?? [])];
    const gap = gaps.get(event);
    const before = order.slice(0, place).filter((one) => line(one) === line(event));
    const needed = [...from, ...before, ...(gap === undefined ? [] : [gap.after])];
    const depth = Math.max(-1, ...needed.map((one) => depths.get(one) ?? -1)) + 1;
    depths.set(event, depth);
    return {
      event,
      probe: probeText(session, line(event), order.map(line)),
      name: textAt(session, event, 'name'),
      seq: seqOf(session, event),
      labels: labels.get(event) ?? [],
      from: from.map((sender) => order.indexOf(sender)),
      depth,
      ...(gap !== undefined && { gap: { after: order.indexOf(gap.after), count: gap.count } }),
    };
  });
  return { events, probes: [...new Set(events.map((event) => event.probe))] };
}

/** The probe of a timeline, with the timeline's name if others of the probe are shown too. */
function probeText(
  { probes, timelines, texts }: Session,
  line: number,
  shown: readonly number[],
): string {
  const probe = at(timelines.probe, line);
  const timeline = texts[at(timelines.name, line)];
  const isAlone = shown.every((one) => one === line || timelines.probe[one] !== probe);
  return isAlone || timeline === undefined
    ? (probes[probe] as string)
    : `${probes[probe]} ${timeline}`;
}

/** The paths between bound events, without those that lead through a third one. */
function pathsBetween(session: Session, bound: readonly number[]): Hop[][] {
  const paths = new Map<string, Hop[]>();
  for (const a of bound) {
    for (const b of bound) {
      const path = a === b ? undefined : causalPath(session, a, b);
      if (path !== undefined) paths.set(`${a} ${b}`, path);
    }
  }
  const isImplied = (a: string, b: string) =>
    bound.some((third) => paths.has(`${a} ${third}`) && paths.has(`${third} ${b}`));
  return [...paths].flatMap(([ends, path]) => {
    const [a, b] = ends.split(' ') as [string, string];
    return isImplied(a, b) ? [] : [path];
  });
}

/** Sorts events by time where all have one, else by number. */
function byTime(session: Session, events: readonly number[]): number[] {
  const numbered = events.toSorted((a, b) => a - b);
  const times = new Map(numbered.map((event) => [event, timeAt(session, event)]));
  if ([...times.values()].includes(undefined)) return numbered;
  return numbered.sort((a, b) => Number((times.get(a) as bigint) - (times.get(b) as bigint)));
}

/**
 * Orders events: each after those that it depends on, and a receiver right after its sender where
 * that is possible. O(n^3), for the few events that a picture shows.
 *
 * @param events in the order of those that do not depend on one another
 * @param senders for each receiving event, those that send to it
 * @param gaps for each event after a gap, the event before it
 */
function inOrder(
  events: readonly number[],
  line: (event: number) => number,
  senders: ReadonlyMap<number, ReadonlySet<number>>,
  gaps: ReadonlyMap<number, Gap>,
): number[] {
  const left = new Set(events);
  const order: number[] = [];
  const isReady = (event: number) => {
    const isFirst = ![...left].some((other) => other < event && line(other) === line(event));
    const needed = [...(senders.get(event) ?? []), gaps.get(event)?.after ?? -1];
    return isFirst && !needed.some((one) => left.has(one));
  };
  /** Whether an event before this one on its timeline has sent what has not been received yet. */
  const isEarly = (event: number) =>
    [...left].some((other) =>
      [...(senders.get(other) ?? [])].some(
        (sender) => sender < event && line(sender) === line(event),
      ),
    );
  while (left.size > 0) {
    const ready = [...left].filter(isReady);
    const last = order.at(-1) ?? -1;
    const next =
      ready.find((event) => senders.get(event)?.has(last)) ??
      ready.find((event) => !isEarly(event)) ??
      ready[0] ??
      (left.values().next().value as number);
    left.delete(next);
    order.push(next);
  }
  return order;
}
