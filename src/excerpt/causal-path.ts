import type { Session } from '../session/index.js';
import { at } from '../source/index.js';
import { probeOf } from './event-at.js';

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
 * The fewest interactions that lead from an event to a later one, none within a probe; undefined
 * where the first does not happen before the second.
 *
 * A search backwards, level by level: each probe remembers up to which of its events it is known
 * to lead there, so that each receive is looked at once.
 */
export function causalPath(session: Session, from: number, to: number): Hop[] | undefined {
  const { order, start } = session;
  const goal = probeOf(session, from);
  if (probeOf(session, to) === goal) return from < to ? [] : undefined;
  const known = session.probes.map((_, probe) => at(start, probe) - 1);
  const nextReceive = order.receiveStart.slice();
  let level: { readonly event: number; readonly step: Step | undefined }[] = [
    { event: to, step: undefined },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { event, step } of level) {
      const probe = probeOf(session, event);
      if (event <= (known[probe] as number)) continue;
      known[probe] = event;
      const end = at(order.receiveStart, probe + 1);
      for (let receive = at(nextReceive, probe); receive < end; receive++) {
        const receiver = at(order.receives, receive);
        if (receiver > event) break;
        nextReceive[probe] = receive + 1;
        const edges = at(order.edgeStart, receive + 1);
        for (let edge = at(order.edgeStart, receive); edge < edges; edge++) {
          const sender = at(order.edgeFrom, edge);
          const found: Step = { hop: { from: sender, to: receiver }, next: step };
          if (order.edgeProbe[edge] === goal && sender >= from) return hopsOf(found);
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
