import type { Session } from '../../session/index.js';
import { indexOf } from './order-index.js';

/**
 * For each probe the first event that comes after some given event, or the number of events
 * where none does; from there on all do.
 *
 * One number a probe, one pass over the receives: O(receives + edges).
 *
 * @param first for each probe its first given event, or the number of events
 */
export function firstAfter(session: Session, first: Int32Array): Int32Array {
  const { event, probe, edgeStart, sender, senderProbe } = indexOf(session.order);
  const after = first.map((given) => Math.min(given + 1, session.size));
  for (let receive = 0; receive < event.length; receive++) {
    const at = probe[receive] as number;
    if ((event[receive] as number) >= (after[at] as number)) continue;
    const end = edgeStart[receive + 1] as number;
    for (let edge = edgeStart[receive] as number; edge < end; edge++) {
      const from = senderProbe[edge] as number;
      const sent = sender[edge] as number;
      if (sent >= (first[from] as number) || sent >= (after[from] as number)) {
        after[at] = event[receive] as number;
        break;
      }
    }
  }
  return after;
}

/**
 * For each probe the last event that comes before some given event, or -1; up to there all do.
 * O(receives + edges).
 *
 * @param last for each probe its last given event, or -1
 */
export function lastBefore(session: Session, last: Int32Array): Int32Array {
  const { event, probe, edgeStart, sender, senderProbe } = indexOf(session.order);
  const before = last.map((given, at) => (given > (session.start[at] as number) ? given - 1 : -1));
  for (let receive = event.length - 1; receive >= 0; receive--) {
    const at = probe[receive] as number;
    const received = event[receive] as number;
    if (received > (last[at] as number) && received > (before[at] as number)) continue;
    const end = edgeStart[receive + 1] as number;
    for (let edge = edgeStart[receive] as number; edge < end; edge++) {
      const from = senderProbe[edge] as number;
      if ((sender[edge] as number) > (before[from] as number))
        before[from] = sender[edge] as number;
    }
  }
  return before;
}
