import type { Binding } from '../../evaluation/index.js';
import type { Session } from '../../session/index.js';
import { causalPath, type Hop } from './causal-path.js';
import { findEvent, nameOf, probeOf, seqOf } from './find-event.js';

/** The part of a session that shows a binding: its events, and the interactions between them. */
export interface Excerpt {
  /** In an order that agrees with what happened before what. */
  readonly events: readonly ShownEvent[];
}

export interface ShownEvent {
  readonly probe: string;
  readonly name: string;
  readonly seq: string;
  /** The labels that are bound to it; none for an event on the way from one to another. */
  readonly labels: readonly string[];
  /** The places in `events` of those that send what it receives. */
  readonly from: readonly number[];
  /** How many interactions on the way to this event are left out. */
  readonly leftOut: number;
}

/** Of a longer way, the first and the last half of so many interactions are shown. */
const MOST_HOPS = 4;

/** Cuts a session to what a binding is about. */
export function excerptOf(session: Session, binding: Binding): Excerpt {
  const labels = new Map<number, string[]>();
  for (const [label, place] of Object.entries(binding)) {
    const event = findEvent(session, place);
    if (event >= 0) labels.set(event, [...(labels.get(event) ?? []), label]);
  }
  const shown = new Shown([...labels.keys()]);
  for (const hops of pathsBetween(session, [...labels.keys()])) shown.addPath(hops);
  const order = shown.inOrder(session);
  const first = (event: number) => session.start[probeOf(session, event)] as number;
  const events = order.map((event): ShownEvent => {
    return {
      probe: session.probes[probeOf(session, event)] as string,
      name: nameOf(session, event),
      seq: seqOf(session, event, first(event)),
      labels: labels.get(event) ?? [],
      from: [...(shown.senders.get(event) ?? [])].map((sender) => order.indexOf(sender)),
      leftOut: shown.gaps.get(event)?.count ?? 0,
    };
  });
  return { events };
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

class Shown {
  readonly #events: Set<number>;
  /** For each receiving event those that send to it. */
  readonly senders = new Map<number, Set<number>>();
  /** For each event behind a gap the event before it, and how many interactions are left out. */
  readonly gaps = new Map<number, { readonly after: number; readonly count: number }>();

  constructor(events: readonly number[]) {
    this.#events = new Set(events);
  }

  addPath(hops: readonly Hop[]): void {
    const half = MOST_HOPS / 2;
    const isLong = hops.length > MOST_HOPS;
    const kept = isLong ? [...hops.slice(0, half), ...hops.slice(-half)] : hops;
    for (const { from, to } of kept) {
      this.#events.add(from).add(to);
      this.senders.set(to, (this.senders.get(to) ?? new Set()).add(from));
    }
    if (!isLong) return;
    const [before, behind] = [kept[half - 1] as Hop, kept[half] as Hop];
    this.gaps.set(behind.from, { after: before.to, count: hops.length - MOST_HOPS });
  }

  /** Each event after those that it depends on; what is received comes right behind what sends it. */
  inOrder(session: Session): number[] {
    const left = new Set([...this.#events].sort((a, b) => a - b));
    const order: number[] = [];
    const isReady = (event: number) => {
      const gap = this.gaps.get(event);
      const senders = [...(this.senders.get(event) ?? [])];
      const probe = probeOf(session, event);
      const isFirst = ![...left].some(
        (other) => other < event && probeOf(session, other) === probe,
      );
      return isFirst && !senders.some((one) => left.has(one)) && !left.has(gap?.after ?? -1);
    };
    while (left.size > 0) {
      const ready = [...left].filter(isReady);
      const last = order.at(-1) ?? -1;
      const next =
        ready.find((event) => this.senders.get(event)?.has(last)) ??
        ready.find((event) => !this.#waits(session, event, left)) ??
        ready[0] ??
        (left.values().next().value as number);
      left.delete(next);
      order.push(next);
    }
    return order;
  }

  /** Whether an event before this one at its probe has sent what is not yet received. */
  #waits(session: Session, event: number, left: ReadonlySet<number>): boolean {
    const probe = probeOf(session, event);
    return [...left].some((other) =>
      [...(this.senders.get(other) ?? [])].some(
        (sender) => sender < event && probeOf(session, sender) === probe,
      ),
    );
  }
}
