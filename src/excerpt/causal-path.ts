import type { EventPlace } from '../evaluation/index.js';
import { integerAt, type Session, ValueKind } from '../session/index.js';
import { at, itemAt, lastIndexAtMost } from '../source/index.js';

/** An interaction: the sending event and the receiving event. */
export interface Hop {
  readonly from: number;
  readonly to: number;
}

interface Step {
  readonly hop: Hop;
  readonly next: Step | undefined;
}

/**
 * Returns the shortest path of interactions from one event to another. The path is empty if both events are on one
 * timeline. Returns undefined if `from` does not happen before `to`.
 *
 * Searches backwards, breadth first. Remembers each timeline's last event known to precede `to`, and therefore examines
 * each receive event only once.
 */
export function findCausalPath(session: Session, from: number, to: number): Hop[] | undefined {
  const { order, timelines } = session;
  const goal = timelineOf(session, from);
  if (timelineOf(session, to) === goal) return from < to ? [] : undefined;
  const lastKnown = timelines.start.map((first) => first - 1);
  const nextReceive = order.receiveStart.slice();
  let level: { readonly event: number; readonly step: Step | undefined }[] = [
    { event: to, step: undefined },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { event, step } of level) {
      const line = timelineOf(session, event);
      if (event <= at(lastKnown, line)) continue;
      lastKnown[line] = event;
      const end = at(order.receiveStart, line + 1);
      for (let receive = at(nextReceive, line); receive < end; receive++) {
        const receiver = at(order.receives, receive);
        if (receiver > event) break;
        nextReceive[line] = receive + 1;
        const edges = at(order.edgeStart, receive + 1);
        for (let edge = at(order.edgeStart, receive); edge < edges; edge++) {
          const sender = at(order.edgeFrom, edge);
          const hopStep: Step = { hop: { from: sender, to: receiver }, next: step };
          if (order.edgeTimeline[edge] === goal && sender >= from) return hopsOf(hopStep);
          next.push({ event: sender, step: hopStep });
        }
      }
    }
    level = next;
  }
  return undefined;
}

function hopsOf(step: Step | undefined): Hop[] {
  const hops: Hop[] = [];
  for (let current = step; current !== undefined; current = current.next) hops.push(current.hop);
  return hops;
}

/**
 * Returns the index of the event at a position, or undefined if the session has no such event. Takes O(t + n) time for
 * t timelines and n events on the event's timeline.
 */
export function eventAt(
  { probes, timelines, texts, columns }: Session,
  { probe, timeline, seq }: EventPlace,
): number | undefined {
  const number = probes.indexOf(probe);
  const line = timelines.probe.findIndex(
    (owner, index) => owner === number && texts[at(timelines.name, index)] === timeline,
  );
  const from = timelines.start[line] ?? 0;
  const to = timelines.start[line + 1] ?? 0;
  for (let event = from; event < to; event++) {
    if (seqText(columns, event, from) === String(seq)) return event;
  }
  return undefined;
}

/** Returns an event's displayed sequence number: its `seq`, or its index in its timeline if `seq` is not an integer. */
export function seqOf(session: Session, event: number): string {
  return seqText(session.columns, event, at(session.timelines.start, timelineOf(session, event)));
}

function seqText(columns: Session['columns'], event: number, first: number): string {
  const seqs = columns.get('seq');
  if (seqs === undefined || seqs.kinds[event] !== ValueKind.integer) return String(event - first);
  return String(integerAt(seqs, event));
}

/**
 * Returns an event's string attribute, such as its `name`, or an empty string if the attribute is missing or not a
 * string.
 */
export function textAt({ columns, texts }: Session, event: number, name: string): string {
  const column = columns.get(name);
  if (column?.kinds[event] !== ValueKind.string) return '';
  return texts[itemAt(column.numbers, event)] as string;
}

/** Returns an event's `time` in nanoseconds, or undefined if the time is not an integer. */
export function timeAt({ columns }: Session, event: number): bigint | undefined {
  const times = columns.get('time');
  return times?.kinds[event] === ValueKind.integer ? BigInt(integerAt(times, event)) : undefined;
}

/** Returns the index of an event's timeline. */
export function timelineOf({ timelines: { start } }: Session, event: number): number {
  return lastIndexAtMost(event, start.length - 1, (line) => at(start, line));
}
