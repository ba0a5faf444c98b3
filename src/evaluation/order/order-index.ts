import type { Order } from '../../session/index.js';
import { at } from '../../source/index.js';
import { sortByRank } from '../select/candidates.js';

/**
 * A session's receives in topological order, which lets a pass over the receives read memory sequentially. A receive's
 * number is its position in this order. "Probe" means a timeline.
 */
export interface OrderIndex {
  /** For each receive, its event and the event's probe. */
  readonly event: Int32Array;
  readonly probe: Int32Array;
  /** For each receive, the position of the previous receive on its probe, from 1, or 0 if there is none. */
  readonly previous: Int32Array;
  /** The index of each receive's first edge, and finally the number of edges. */
  readonly edgeStart: Int32Array;
  /** For each edge, the sending event and its probe. */
  readonly sender: Int32Array;
  readonly senderProbe: Int32Array;
  /** For each edge, the position of the last receive up to its sending event, from 1, or 0 if there is none. */
  readonly senderAt: Int32Array;
  /** For each edge, the number of its send. Sends are numbered from 1, in ascending order of their events. */
  readonly sendNumber: Int32Array;
  /** For each send, its event and the event's probe. The first entry is unused. */
  readonly sendEvent: Int32Array;
  readonly sendProbe: Int32Array;
  readonly limits: ClockLimits;
  /** The position of each receive, by its number in the session's order. */
  readonly positionOf: Int32Array;
  /** The number of timelines. */
  readonly timelines: number;
}

/** Limits for computing an order's clocks. They affect only time and memory, not the result. */
export interface ClockLimits {
  /** Maximum size in bytes for keeping the clocks of all receives. */
  readonly keptBytes: number;
  /** Approximate size in bytes of a block of columns, if the clocks of all receives are not kept. */
  readonly sweptBytes: number;
  /** Maximum number of timelines for which blocks are faster than sparse clocks. */
  readonly timelines: number;
  /** Maximum fraction of nonzero entries in sparse clocks. */
  readonly density: number;
}

export const CLOCK_LIMITS: ClockLimits = {
  keptBytes: 64e6,
  sweptBytes: 64e6,
  timelines: 256,
  density: 1 / 32,
};

const indexes = new WeakMap<Order, OrderIndex>();

/** Returns an order's index, computed once. O(receives + edges * log edges). */
export function orderIndexOf(order: Order, limits = CLOCK_LIMITS): OrderIndex {
  const cached = indexes.get(order);
  if (cached !== undefined) return cached;
  const index = makeIndex(order, limits);
  indexes.set(order, index);
  return index;
}

function makeIndex(order: Order, limits: ClockLimits): OrderIndex {
  const { topological, receives, receiveTimeline, receiveStart } = order;
  const count = topological.length;
  const positionOf = new Int32Array(count);
  for (let position = 0; position < count; position++)
    positionOf[at(topological, position)] = position;

  const event = new Int32Array(count);
  const probe = new Int32Array(count);
  const previous = new Int32Array(count);
  const edgeStart = new Int32Array(count + 1);
  const edges = order.edgeFrom.length;
  const sender = new Int32Array(edges);
  const senderProbe = new Int32Array(edges);
  const senderAt = new Int32Array(edges);
  let edge = 0;
  for (let index = 0; index < count; index++) {
    const receive = at(topological, index);
    event[index] = at(receives, receive);
    const timeline = at(receiveTimeline, receive);
    probe[index] = timeline;
    if (receive > at(receiveStart, timeline)) previous[index] = at(positionOf, receive - 1) + 1;
    const end = at(order.edgeStart, receive + 1);
    for (let from = at(order.edgeStart, receive); from < end; from++, edge++) {
      sender[edge] = at(order.edgeFrom, from);
      senderProbe[edge] = at(order.edgeTimeline, from);
      const sendingReceive = at(order.edgeReceive, from);
      senderAt[edge] = sendingReceive < 0 ? 0 : at(positionOf, sendingReceive) + 1;
    }
    edgeStart[index + 1] = edge;
  }
  const sendNumber = new Int32Array(edges);
  const [sendEvent, sendProbe] = [new Int32Array(edges + 1), new Int32Array(edges + 1)];
  const senders = 1 + sender.reduce((maxSender, event) => Math.max(maxSender, event), 0);
  sortByRank(sender, senders).forEach((edge, position) => {
    sendNumber[edge] = position + 1;
    sendEvent[position + 1] = at(sender, edge);
    sendProbe[position + 1] = at(senderProbe, edge);
  });
  const timelines = receiveStart.length - 1;
  return {
    ...{ event, probe, previous, edgeStart, sender, senderProbe, senderAt, sendNumber },
    ...{ sendEvent, sendProbe, limits, positionOf, timelines },
  };
}
