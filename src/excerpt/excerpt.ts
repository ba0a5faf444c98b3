import type { Binding } from '../evaluation/index.js';
import type { Session } from '../session/index.js';
import { at } from '../source/index.js';
import {
  eventAt,
  findCausalPath,
  type Hop,
  seqOf,
  textAt,
  timeAt,
  timelineOf,
} from './causal-path.js';

/** The part of a session that shows a binding: selected events and their interactions. */
export interface Excerpt {
  /** The events in causal order, sorted by time if the times agree with causality. */
  readonly events: readonly ShownEvent[];
  /** The events' probes, in order of first appearance. */
  readonly probes: readonly string[];
}

export interface ShownEvent {
  /** The event's index in the session. */
  readonly event: number;
  /** The event's probe, followed by the timeline if the excerpt shows several timelines of the probe. */
  readonly probe: string;
  readonly name: string;
  readonly seq: string;
  /** Time in nanoseconds; absent if the event has no time. */
  readonly time?: bigint;
  /** The labels bound to the event, possibly none. */
  readonly labels: readonly string[];
  /** The indices in `events` of the events whose messages this event receives. */
  readonly from: readonly number[];
  /** The length of the longest causal chain of shown events before this event. */
  readonly depth: number;
  /** The gap before this event. Its `after` is an index in `events`. */
  readonly gap?: Gap;
}

/** The number of omitted interactions, and the last event before them. */
interface Gap {
  readonly after: number;
  readonly count: number;
}

/** Maximum number of interactions to show for each path, half from the start and half from the end. */
const MAX_HOPS = 4;

/**
 * Returns the excerpt for a binding: the bound events, and the shortest paths between causally ordered bound events.
 *
 * Takes O(r) time for each pair of bound events, where r is the session's number of receive events.
 *
 * @param moreEvents additional events to show, such as mutations
 */
export function excerptOf(
  session: Session,
  binding: Binding,
  moreEvents: readonly number[] = [],
): Excerpt {
  const labels = new Map<number, string[]>(moreEvents.map((event) => [event, []]));
  for (const [label, evidence] of Object.entries(binding)) {
    const event = eventAt(session, evidence);
    if (event === undefined) continue;
    labels.set(event, [...(labels.get(event) ?? []), label]);
  }
  const shownEvents = new Set(labels.keys());
  const senders = new Map<number, Set<number>>();
  const gaps = new Map<number, Gap>();
  for (const hops of pathsBetween(session, [...labels.keys()])) {
    const half = MAX_HOPS / 2;
    const isLong = hops.length > MAX_HOPS;
    const kept = isLong ? [...hops.slice(0, half), ...hops.slice(-half)] : hops;
    for (const { from, to } of kept) {
      shownEvents.add(from).add(to);
      senders.set(to, (senders.get(to) ?? new Set()).add(from));
    }
    const [nearEnd, farEnd] = [kept[half - 1], kept[half]];
    if (!isLong || nearEnd === undefined || farEnd === undefined) continue;
    gaps.set(farEnd.from, { after: nearEnd.to, count: hops.length - MAX_HOPS });
  }
  const line = (event: number) => timelineOf(session, event);
  const causal = sortTopologically(
    sortByTime(
      session,
      [...shownEvents].sort((a, b) => a - b),
    ),
    line,
    senders,
    gaps,
  );
  const neededBy = (event: number) => {
    const gap = gaps.get(event);
    const preceding = causal
      .slice(0, causal.indexOf(event))
      .filter((other) => line(other) === line(event));
    return [...(senders.get(event) ?? []), ...preceding, ...(gap === undefined ? [] : [gap.after])];
  };
  const isTimely = causal.every((event) => {
    const time = timeAt(session, event);
    return (
      time !== undefined && neededBy(event).every((other) => (timeAt(session, other) ?? 0n) <= time)
    );
  });
  const order = isTimely ? sortByTime(session, causal) : causal;
  const depths = new Map<number, number>();
  const events = order.map((event): ShownEvent => {
    const from = [...(senders.get(event) ?? [])];
    const gap = gaps.get(event);
    const needed = neededBy(event);
    const time = timeAt(session, event);
    const depth = Math.max(-1, ...needed.map((other) => depths.get(other) ?? -1)) + 1;
    depths.set(event, depth);
    return {
      event,
      probe: probeText(session, line(event), order.map(line)),
      name: textAt(session, event, 'name'),
      seq: seqOf(session, event),
      ...(time !== undefined && { time }),
      labels: labels.get(event) ?? [],
      from: from.map((sender) => order.indexOf(sender)),
      depth,
      ...(gap !== undefined && { gap: { after: order.indexOf(gap.after), count: gap.count } }),
    };
  });
  return { events, probes: [...new Set(events.map((event) => event.probe))] };
}

/** Returns a timeline's probe, with the timeline's name if other timelines of the probe are shown too. */
function probeText(
  { probes, timelines, texts }: Session,
  line: number,
  shownLines: readonly number[],
): string {
  const probe = at(timelines.probe, line);
  const timeline = texts[at(timelines.name, line)];
  const isAlone = shownLines.every((other) => other === line || timelines.probe[other] !== probe);
  return isAlone || timeline === undefined
    ? (probes[probe] as string)
    : `${probes[probe]} ${timeline}`;
}

/**
 * Returns the shortest paths between bound events, except between events with a third bound event causally in between.
 */
function pathsBetween(session: Session, bound: readonly number[]): Hop[][] {
  const paths = new Map<string, Hop[]>();
  for (const a of bound) {
    for (const b of bound) {
      const path = a === b ? undefined : findCausalPath(session, a, b);
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

/** Sorts events by time with a stable sort. Leaves the order unchanged unless every event has a time. */
function sortByTime(session: Session, events: readonly number[]): readonly number[] {
  const times = new Map(events.map((event) => [event, timeAt(session, event)]));
  if ([...times.values()].includes(undefined)) return events;
  return events.toSorted((a, b) => Number((times.get(a) as bigint) - (times.get(b) as bigint)));
}

/**
 * Sorts events topologically, with each receiver right after its sender if possible. Takes O(n^3) time, fast enough for
 * an excerpt's few events.
 *
 * @param events in the preferred order of independent events
 * @param senders each receiving event's senders
 * @param gaps the gap before each event, if any
 */
function sortTopologically(
  events: readonly number[],
  line: (event: number) => number,
  senders: ReadonlyMap<number, ReadonlySet<number>>,
  gaps: ReadonlyMap<number, Gap>,
): number[] {
  const remaining = new Set(events);
  const order: number[] = [];
  const isReady = (event: number) => {
    const isFirst = ![...remaining].some((other) => other < event && line(other) === line(event));
    const needed = [...(senders.get(event) ?? []), gaps.get(event)?.after ?? -1];
    return isFirst && !needed.some((other) => remaining.has(other));
  };
  /** True if an earlier event on the same timeline sent a message whose receiver is not yet in `order`. */
  const isEarly = (event: number) =>
    [...remaining].some((other) =>
      [...(senders.get(other) ?? [])].some(
        (sender) => sender < event && line(sender) === line(event),
      ),
    );
  while (remaining.size > 0) {
    const ready = [...remaining].filter(isReady);
    const last = order.at(-1) ?? -1;
    const next =
      ready.find((event) => senders.get(event)?.has(last)) ??
      ready.find((event) => !isEarly(event)) ??
      ready[0] ??
      (remaining.values().next().value as number);
    remaining.delete(next);
    order.push(next);
  }
  return order;
}
