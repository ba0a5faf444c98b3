import type { EventPlace } from '../evaluation/index.js';
import { integerAt, type Session, ValueKind } from '../session/index.js';
import { at, itemAt, lastAtMost } from '../source/index.js';

/** An interaction: the event that sends, and the one that receives. */
export interface Hop {
  readonly from: number;
  readonly to: number;
}

interface Step {
  readonly hop: Hop;
  readonly next: Step | undefined;
}

/**
 * The fewest interactions that lead from an event to a later one, none within a timeline; undefined
 * if the first does not happen before the second.
 *
 * A search backwards, level by level: each timeline remembers the last of its events that is
 * known to lead there, so that each receive is looked at once.
 */
export function causalPath(session: Session, from: number, to: number): Hop[] | undefined {
  const { order, timelines } = session;
  const goal = timelineOf(session, from);
  if (timelineOf(session, to) === goal) return from < to ? [] : undefined;
  const known = timelines.start.map((first) => first - 1);
  const nextReceive = order.receiveStart.slice();
  let level: { readonly event: number; readonly step: Step | undefined }[] = [
    { event: to, step: undefined },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { event, step } of level) {
      const line = timelineOf(session, event);
      if (event <= at(known, line)) continue;
      known[line] = event;
      const end = at(order.receiveStart, line + 1);
      for (let receive = at(nextReceive, line); receive < end; receive++) {
        const receiver = at(order.receives, receive);
        if (receiver > event) break;
        nextReceive[line] = receive + 1;
        const edges = at(order.edgeStart, receive + 1);
        for (let edge = at(order.edgeStart, receive); edge < edges; edge++) {
          const sender = at(order.edgeFrom, edge);
          const found: Step = { hop: { from: sender, to: receiver }, next: step };
          if (order.edgeTimeline[edge] === goal && sender >= from) return hopsOf(found);
          next.push({ event: sender, step: found });
        }
      }
    }
    level = next;
  }
  return undefined;
}

function hopsOf(step: Step | undefined): Hop[] {
  const hops: Hop[] = [];
  for (let place = step; place !== undefined; place = place.next) hops.push(place.hop);
  return hops;
}

/** The event that evidence names; undefined if there is none. O(timelines + events of its own). */
export function eventAt(
  { probes, timelines, texts, columns }: Session,
  { probe, timeline, seq }: EventPlace,
): number | undefined {
  const number = probes.indexOf(probe);
  const line = timelines.probe.findIndex(
    (owner, one) => owner === number && texts[at(timelines.name, one)] === timeline,
  );
  const from = timelines.start[line] ?? 0;
  const to = timelines.start[line + 1] ?? 0;
  for (let event = from; event < to; event++) {
    if (seqText(columns, event, from) === String(seq)) return event;
  }
  return undefined;
}

/** What a person finds an event by: its `seq`, else its index in its timeline. */
export function seqOf(session: Session, event: number): string {
  return seqText(session.columns, event, at(session.timelines.start, timelineOf(session, event)));
}

function seqText(columns: Session['columns'], event: number, first: number): string {
  const seqs = columns.get('seq');
  if (seqs === undefined || seqs.kinds[event] !== ValueKind.integer) return String(event - first);
  return String(integerAt(seqs, event));
}

/** A text attribute of an event, such as its `name`; empty if it has none. */
export function textAt({ columns, texts }: Session, event: number, name: string): string {
  const column = columns.get(name);
  if (column?.kinds[event] !== ValueKind.string) return '';
  return texts[itemAt(column.numbers, event)] as string;
}

/** The `time` of an event, in nanoseconds, if it has a whole one. */
export function timeAt({ columns }: Session, event: number): bigint | undefined {
  const times = columns.get('time');
  return times?.kinds[event] === ValueKind.integer ? BigInt(integerAt(times, event)) : undefined;
}

/** The number of the timeline of an event. */
export function timelineOf({ timelines: { start } }: Session, event: number): number {
  return lastAtMost(event, start.length - 1, (line) => at(start, line));
}
