import type { Order } from '../../session/index.js';
import { at } from '../../source/index.js';
import { sortByRank } from '../select/candidates.js';

/**
 * The receives of a session again, in topological order, so that a pass over them reads memory in
 * one direction. A receive is identified by its place in that order.
 */
export interface OrderIndex {
  /** For each receive, its event and the probe of that. */
  readonly event: Int32Array;
  readonly probe: Int32Array;
  /** For each receive, the place of the one before it on its probe, from 1, or 0. */
  readonly previous: Int32Array;
  /** For each receive, its first edge; one more entry at the end. */
  readonly edgeStart: Int32Array;
  /** For each edge, the sending event and its probe. */
  readonly sender: Int32Array;
  readonly senderProbe: Int32Array;
  /** For each edge, the place of the last receive up to its sending event, from 1, or 0. */
  readonly senderAt: Int32Array;
  /** For each edge, the number of its send: they are numbered by their sending event, ascending, from 1. */
  readonly sendNumber: Int32Array;
  /** For each send, its event and the probe of that; the first entry stands for none. */
  readonly sendEvent: Int32Array;
  readonly sendProbe: Int32Array;
  readonly limits: ClockLimits;
  /** The place of each receive of the session's own numbering, which goes probe by probe. */
  readonly placeOf: Int32Array;
  /** How many timelines there are: each is called a probe here. */
  readonly timelines: number;
}

/** How the clocks of an order are made; the result is the same. */
export interface ClockLimits {
  /** The clocks of all receives are kept if they take up to this many bytes. */
  readonly keptBytes: number;
  /** Of others, as many columns are made together as take about this many bytes. */
  readonly sweptBytes: number;
  /** With up to this many timelines, sweeping the clocks of all of them is faster than sparse clocks. */
  readonly timelines: number;
  /** Clocks that have a larger part of all possible entries are not sparse. */
  readonly density: number;
}

export const CLOCK_LIMITS: ClockLimits = {
  keptBytes: 64e6,
  sweptBytes: 64e6,
  timelines: 256,
  density: 1 / 32,
};

const indexes = new WeakMap<Order, OrderIndex>();

/** The index of an order, made once: O(receives + edges * log edges). */
export function indexOf(order: Order, limits = CLOCK_LIMITS): OrderIndex {
  const made = indexes.get(order);
  if (made !== undefined) return made;
  const index = makeIndex(order, limits);
  indexes.set(order, index);
  return index;
}

function makeIndex(order: Order, limits: ClockLimits): OrderIndex {
  const { topological, receives, receiveTimeline, receiveStart } = order;
  const count = topological.length;
  const placeOf = new Int32Array(count);
  for (let place = 0; place < count; place++) placeOf[at(topological, place)] = place;

  const event = new Int32Array(count);
  const probe = new Int32Array(count);
  const previous = new Int32Array(count);
  const edgeStart = new Int32Array(count + 1);
  const edges = order.edgeFrom.length;
  const sender = new Int32Array(edges);
  const senderProbe = new Int32Array(edges);
  const senderAt = new Int32Array(edges);
  let edge = 0;
  for (let place = 0; place < count; place++) {
    const receive = at(topological, place);
    event[place] = at(receives, receive);
    const own = at(receiveTimeline, receive);
    probe[place] = own;
    if (receive > at(receiveStart, own)) previous[place] = at(placeOf, receive - 1) + 1;
    const end = at(order.edgeStart, receive + 1);
    for (let from = at(order.edgeStart, receive); from < end; from++, edge++) {
      sender[edge] = at(order.edgeFrom, from);
      senderProbe[edge] = at(order.edgeTimeline, from);
      const before = at(order.edgeReceive, from);
      senderAt[edge] = before < 0 ? 0 : at(placeOf, before) + 1;
    }
    edgeStart[place + 1] = edge;
  }
  const sendNumber = new Int32Array(edges);
  const [sendEvent, sendProbe] = [new Int32Array(edges + 1), new Int32Array(edges + 1)];
  const senders = 1 + sender.reduce((most, event) => Math.max(most, event), 0);
  sortByRank(sender, senders).forEach((edge, place) => {
    sendNumber[edge] = place + 1;
    sendEvent[place + 1] = at(sender, edge);
    sendProbe[place + 1] = at(senderProbe, edge);
  });
  const timelines = receiveStart.length - 1;
  return {
    ...{ event, probe, previous, edgeStart, sender, senderProbe, senderAt, sendNumber },
    ...{ sendEvent, sendProbe, limits, placeOf, timelines },
  };
}
