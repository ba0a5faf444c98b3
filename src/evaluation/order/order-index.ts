import type { Order } from '../../session/index.js';
import { at } from '../../source/index.js';
import { sortByRank } from '../select/candidates.js';

/**
 * A session's receives in topological order, which lets a pass over them read memory in one direction. A receive is
 * identified by its position in that order.
 */
export interface OrderIndex {
  /** For each receive, its event and that event's probe. */
  readonly event: Int32Array;
  readonly probe: Int32Array;
  /** For each receive, the position of the one before it on its probe, from 1, or 0. */
  readonly previous: Int32Array;
  /** For each receive, its first edge; one more entry at the end. */
  readonly edgeStart: Int32Array;
  /** For each edge, the sending event and its probe. */
  readonly sender: Int32Array;
  readonly senderProbe: Int32Array;
  /** For each edge, the position of the last receive up to its sending event, from 1, or 0. */
  readonly senderAt: Int32Array;
  /** For each edge, the number of its send: sends are numbered by their sending event, ascending, from 1. */
  readonly sendNumber: Int32Array;
  /** For each send, its event and that event's probe; the first entry stands for none. */
  readonly sendEvent: Int32Array;
  readonly sendProbe: Int32Array;
  readonly limits: ClockLimits;
  /** The position of each receive of the session's own numbering, which goes probe by probe. */
  readonly positionOf: Int32Array;
  /** The number of timelines, each of which is called a probe here. */
  readonly timelines: number;
}

/** Limits on making the clocks of an order, which do not affect the result. */
export interface ClockLimits {
  /** Maximum size in bytes of the clocks of all receives to keep them. */
  readonly keptBytes: number;
  /** Approximate size in bytes of the columns that are made together otherwise. */
  readonly sweptBytes: number;
  /** With up to this many timelines, sweeping all clocks is faster than sparse clocks. */
  readonly timelines: number;
  /** Maximum part of all possible entries for sparse clocks. */
  readonly density: number;
}

export const CLOCK_LIMITS: ClockLimits = {
  keptBytes: 64e6,
  sweptBytes: 64e6,
  timelines: 256,
  density: 1 / 32,
};

const indexes = new WeakMap<Order, OrderIndex>();

/** Returns the index of an order, made once: O(receives + edges * log edges). */
export function indexOf(order: Order, limits = CLOCK_LIMITS): OrderIndex {
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
