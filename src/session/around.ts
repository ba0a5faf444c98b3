import { at } from '../source/index.js';
import type { Session } from './session.js';

/** The nearest events before and after an event, by timeline. */
export interface EventNeighbours {
  /** For each timeline, the last event before the given event; less than the timeline's first event if none. */
  readonly before: Int32Array;
  /** For each timeline, the first event after the given event; greater than the timeline's last event if none. */
  readonly after: Int32Array;
}

/**
 * Finds the nearest events before and after an event on each timeline, in O(timelines + interactions).
 *
 * @param line the timeline of the event
 */
export function findEventNeighbours(
  { size, order, timelines }: Session,
  event: number,
  line: number,
): EventNeighbours {
  const { topological, receives, receiveTimeline, edgeStart, edgeFrom, edgeTimeline } = order;
  const before = new Int32Array(timelines.probe.length).fill(-1);
  const after = before.slice().fill(size);
  [before[line], after[line]] = [event - 1, event + 1];
  for (let index = 0; index < topological.length; index++) {
    const receive = at(topological, index);
    const [to, timeline] = [at(receives, receive), at(receiveTimeline, receive)];
    const end = at(edgeStart, receive + 1);
    for (let edge = at(edgeStart, receive); edge < end && to < at(after, timeline); edge++) {
      const from = at(edgeFrom, edge);
      if (from === event || from >= at(after, at(edgeTimeline, edge))) after[timeline] = to;
    }
  }
  for (let index = topological.length - 1; index >= 0; index--) {
    const receive = at(topological, index);
    const to = at(receives, receive);
    if (to !== event && to > at(before, at(receiveTimeline, receive))) continue;
    const end = at(edgeStart, receive + 1);
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      const sender = at(edgeTimeline, edge);
      before[sender] = Math.max(at(before, sender), at(edgeFrom, edge));
    }
  }
  return { before, after };
}
