import type { Order } from '../../session/index.js';
import { at } from '../../source/index.js';

/** About how many bytes the rows of a sweep take: as many as the cache of a core has. */
const ROW_BYTES = 256e3;
/** The fewest columns of clocks that are swept at a time. */
const LEAST_COLUMNS = 16;

/**
 * The receives of a session again, in topological order, so that a pass over them reads memory in
 * one direction. A receive is identified by its place in that order.
 */
export interface OrderIndex {
  /** For each receive, its event and the probe of that. */
  readonly event: Int32Array;
  readonly probe: Int32Array;
  /** The row of each receive in a sweep, and that of the receive before it on its probe, or 0. */
  readonly row: Int32Array;
  readonly previousRow: Int32Array;
  /** For each receive, the place of the one before it on its probe, from 1, or 0. */
  readonly previous: Int32Array;
  /** For each receive, its first edge; one more entry at the end. */
  readonly edgeStart: Int32Array;
  /** For each edge, the sending event, its probe, and the row of the last receive up to it, or 0. */
  readonly sender: Int32Array;
  readonly senderProbe: Int32Array;
  readonly senderRow: Int32Array;
  /** For each edge, the place of the last receive up to its sending event, from 1, or 0. */
  readonly senderAt: Int32Array;
  /** The edges by their sending event, ascending: the sends, which are numbered in this order from 1. */
  readonly bySender: Int32Array;
  /** For each edge, the number of its send. */
  readonly sendNumber: Int32Array;
  /** For each send, its event and the probe of that; the first entry stands for none. */
  readonly sendEvent: Int32Array;
  readonly sendProbe: Int32Array;
  /** The clocks of all receives, if they do not take too much memory. Made when first asked for. */
  readonly clocks: () => ReceiveClocks | undefined;
  readonly limits: ClockLimits;
  /** The place of each receive of the session's own numbering, which goes probe by probe. */
  readonly placeOf: Int32Array;
  /** How many timelines there are: each is called a probe here. */
  readonly timelines: number;
  /** How many columns of clocks are swept together: one for each probe, if there is room. */
  readonly columns: number;
  /** Room for the rows of a sweep, which the next one overwrites; row 0 is never written. */
  readonly rows: Int32Array;
}

/** What comes before each receive, on every timeline. */
export interface ReceiveClocks {
  /**
   * After a row of zeros, for each receive and each timeline, the number of the last of the
   * timeline's sends that comes before the receive, or 0.
   */
  readonly sends: Int32Array;
  /** How many entries a row has. */
  readonly width: number;
}

/** How the clocks of an order are made; the result is the same. */
export interface ClockLimits {
  /** The clocks of all receives are kept if they take up to this many bytes. */
  readonly keptBytes: number;
  /** With up to this many timelines, sweeping the clocks of all of them is faster than sparse clocks. */
  readonly timelines: number;
  /** Clocks that have a larger part of all possible entries are not sparse. */
  readonly density: number;
}

export const CLOCK_LIMITS: ClockLimits = { keptBytes: 64e6, timelines: 256, density: 1 / 32 };

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
  const previousRow = new Int32Array(count);
  const edgeStart = new Int32Array(count + 1);
  const edges = order.edgeFrom.length;
  const sender = new Int32Array(edges);
  const senderProbe = new Int32Array(edges);
  const senderRow = new Int32Array(edges);
  let edge = 0;
  for (let place = 0; place < count; place++) {
    const receive = at(topological, place);
    event[place] = at(receives, receive);
    const own = at(receiveTimeline, receive);
    probe[place] = own;
    if (receive > at(receiveStart, own)) {
      previousRow[place] = at(placeOf, receive - 1) + 1;
    }
    const end = at(order.edgeStart, receive + 1);
    for (let from = at(order.edgeStart, receive); from < end; from++, edge++) {
      sender[edge] = at(order.edgeFrom, from);
      senderProbe[edge] = at(order.edgeTimeline, from);
      const before = at(order.edgeReceive, from);
      senderRow[edge] = before < 0 ? 0 : at(placeOf, before) + 1;
    }
    edgeStart[place + 1] = edge;
  }
  // So far these are places, from 1; 0 is none.
  const { rowOf, rowCount } = giveRows(previousRow, edgeStart, senderRow);
  const fitting = Math.max(LEAST_COLUMNS, ROW_BYTES / 4 / rowCount);
  const columns = 4 * Math.ceil(Math.min(receiveStart.length - 1, fitting) / 4);
  const bySender = sortBySender(sender);
  const sendNumber = new Int32Array(edges);
  const [sendEvent, sendProbe] = [new Int32Array(edges + 1), new Int32Array(edges + 1)];
  bySender.forEach((edge, place) => {
    sendNumber[edge] = place + 1;
    sendEvent[place + 1] = at(sender, edge);
    sendProbe[place + 1] = at(senderProbe, edge);
  });
  const width = 4 * Math.ceil((receiveStart.length - 1) / 4);
  const areKept = 4 * width * (count + 1) <= limits.keptBytes;
  let clocks: ReceiveClocks | undefined;
  const index: OrderIndex = {
    event,
    probe,
    row: rowOf.subarray(1),
    previous: previousRow,
    previousRow: previousRow.map((place) => at(rowOf, place)),
    edgeStart,
    sender,
    senderProbe,
    senderAt: senderRow,
    senderRow: senderRow.map((place) => at(rowOf, place)),
    bySender,
    sendNumber,
    sendEvent,
    sendProbe,
    clocks() {
      if (areKept) clocks ??= clocksOfReceives(index, width);
      return clocks;
    },
    limits,
    placeOf,
    timelines: receiveStart.length - 1,
    columns,
    rows: new Int32Array(rowCount * columns),
  };
  return index;
}

/**
 * A receive knows what the one before it on its timeline knew, and what its senders knew.
 *
 * One pass in topological order: O(edges * timelines).
 */
function clocksOfReceives(index: OrderIndex, width: number): ReceiveClocks {
  const { probe, previous, edgeStart, senderAt, senderProbe, sendNumber } = index;
  const sends = new Int32Array(width * (probe.length + 1));
  for (let receive = 0; receive < probe.length; receive++) {
    const own = (receive + 1) * width;
    let known = at(previous, receive) * width;
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      takeLarger(sends, own, known, at(senderAt, edge) * width, width);
      known = own;
      const from = own + at(senderProbe, edge);
      if (at(sendNumber, edge) > at(sends, from)) sends[from] = at(sendNumber, edge);
    }
  }
  return { sends, width };
}

/**
 * Fills a row with the larger entries of two others, in `width` columns or up to three more: four
 * at a time, and by `rows[i]` instead of `at`, which takes half the time.
 */
export function takeLarger(
  rows: Int32Array,
  to: number,
  a: number,
  b: number,
  width: number,
): void {
  for (let column = 0; column < width; column += 4) {
    const [i, j, k] = [to + column, a + column, b + column];
    rows[i] = larger(rows[j] as number, rows[k] as number);
    rows[i + 1] = larger(rows[j + 1] as number, rows[k + 1] as number);
    rows[i + 2] = larger(rows[j + 2] as number, rows[k + 2] as number);
    rows[i + 3] = larger(rows[j + 3] as number, rows[k + 3] as number);
  }
}

/** The larger of two ranks, without a branch: a processor could not predict it. */
export function larger(a: number, b: number): number {
  const more = b - a;
  return a + (more & ~(more >> 31));
}

/**
 * A row for each receive, if possible that of one which no later receive reads. Messages arrive soon,
 * so there are few rows, and they stay in the cache. Receives are identified by place, from 1.
 */
function giveRows(previous: Int32Array, edgeStart: Int32Array, sender: Int32Array) {
  const rowOf = new Int32Array(previous.length + 1);
  const lastReader = new Int32Array(rowOf.length);
  const eachRead = (place: number, visit: (read: number) => void): void => {
    visit(place);
    visit(at(previous, place - 1));
    const end = at(edgeStart, place);
    for (let edge = at(edgeStart, place - 1); edge < end; edge++) visit(at(sender, edge));
  };
  for (let place = 1; place < rowOf.length; place++) {
    eachRead(place, (read) => {
      lastReader[read] = place;
    });
  }
  const free: number[] = [];
  let rowCount = 1;
  for (let place = 1; place < rowOf.length; place++) {
    rowOf[place] = free.pop() ?? rowCount++;
    eachRead(place, (read) => {
      if (read === 0 || at(lastReader, read) !== place) return;
      free.push(at(rowOf, read));
      lastReader[read] = 0;
    });
  }
  return { rowOf, rowCount };
}

/** Sorts numbers that hold the sender above the edge: typed arrays sort without a comparator. */
function sortBySender(sender: Int32Array): Int32Array {
  const keys = new Float64Array(sender.length);
  const factor = sender.length + 1;
  for (let edge = 0; edge < keys.length; edge++) keys[edge] = at(sender, edge) * factor + edge;
  keys.sort();
  return Int32Array.from(keys, (key) => key % factor);
}
