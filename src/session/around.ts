import { at } from '../source/index.js';
import type { Session } from './session.js';

/** For each timeline, the nearest events before and after an event. */
export interface EventNeighbours {
  /** The last event before the event; less than the timeline's first event if there is none. */
  readonly before: Int32Array;
  /** The first event after the event; the number of events if there is none. */
  readonly after: Int32Array;
}

/**
 * Returns, for each timeline, the last event before an event and the first after it. O(timelines + interactions).
 *
 * @param line the timeline of the event
 */
export function eventsAround(
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
