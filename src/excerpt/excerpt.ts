import type { Binding } from '../evaluation/index.js';
import type { Session } from '../session/index.js';
import { at } from '../source/index.js';
import { type Arranged, arrange } from './arrange.js';
import { causalPath, type Hop } from './causal-path.js';
import { eventAt, probeOf, seqOf, textAt } from './event-at.js';

/** The part of a session that shows a binding: its events, and the interactions between them. */
export interface Excerpt {
  /** In an order that agrees with what happened before what. */
  readonly events: readonly ShownEvent[];
  /** In the order in which their events come. */
  readonly probes: readonly string[];
}

export interface ShownEvent {
  /** Its number in the session. */
  readonly event: number;
  readonly probe: string;
  readonly name: string;
  readonly seq: string;
  /** The labels that are bound to it; none for an event on the way from one to another. */
  readonly labels: readonly string[];
  /** The places in `events` of those that send what it receives. */
  readonly from: readonly number[];
  /** How many events that are shown come before it, one after the other. */
  readonly depth: number;
  /** The interactions that are left out on the way to this event: behind which place, how many. */
  readonly gap?: { readonly after: number; readonly count: number };
}

/** Of a longer way, the first and the last half of so many interactions are shown. */
const MOST_HOPS = 4;

/**
 * Cuts a session to what a binding is about: the events bound, and for each two of them that are
 * ordered the fewest interactions that lead from one to the other.
 *
 * O(receives) for each two events.
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
    if (event !== undefined) labels.set(event, [...(labels.get(event) ?? []), label]);
  }
  const shown = new Set(labels.keys());
  const senders = new Map<number, Set<number>>();
  const gaps = new Map<number, { readonly after: number; readonly count: number }>();
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
  const probe = (event: number) => probeOf(session, event);
  const arranged = arrange([...shown], { probe, senders, gaps });
  const events = arranged.map((one) => shownEvent(session, one, arranged, labels));
  return { events, probes: [...new Set(events.map((event) => event.probe))] };
}

function shownEvent(
  session: Session,
  { event, senders, gap, depth }: Arranged,
  all: readonly Arranged[],
  labels: ReadonlyMap<number, readonly string[]>,
): ShownEvent {
  const placeOf = (wanted: number) => all.findIndex((other) => other.event === wanted);
  const probe = probeOf(session, event);
  return {
    event,
    probe: session.probes[probe] as string,
    name: textAt(session, event, 'name'),
    seq: seqOf(session, event, at(session.start, probe)),
    labels: labels.get(event) ?? [],
    from: senders.map(placeOf),
    depth,
    ...(gap !== undefined && { gap: { after: placeOf(gap.after), count: gap.count } }),
  };
}

/** The ways between bound events, without those that lead over a third one. */
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
