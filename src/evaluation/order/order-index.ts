import type { Order } from '../../session/index.js';
import { at } from '../../source/index.js';

/** The rows of a sweep take about so many bytes, as the cache of a core has. */
const ROW_BYTES = 256e3;
/** Clocks are swept at least so many columns at a time. */
const LEAST_COLUMNS = 16;

/**
 * The receives of a session once more, in topological order, so that a pass over them reads
 * memory in one direction. A receive is called by its place in that order.
 */
export interface OrderIndex {
  /** For each receive its event, and the probe of that. */
  readonly event: Int32Array;
  readonly probe: Int32Array;
  /** The row of each receive in a sweep, and that of the receive before it on its probe, or 0. */
  readonly row: Int32Array;
  readonly previousRow: Int32Array;
  /** For each receive its first edge; one more entry at the end. */
  readonly edgeStart: Int32Array;
  /** For each edge the sending event, its probe, and the row of the last receive up to it, or 0. */
  readonly sender: Int32Array;
  readonly senderProbe: Int32Array;
  readonly senderRow: Int32Array;
  /** The edges by their sending event, ascending. */
  readonly bySender: Int32Array;
  /** The sending events in that order, and their probes. */
  readonly sorted: Int32Array;
  readonly sortedProbe: Int32Array;
  /** The place of each receive of the session's own numbering, which goes probe by probe. */
  readonly placeOf: Int32Array;
  /** How many columns of clocks are swept together: one for each probe, if there is room. */
  readonly columns: number;
  /** Room for the rows of a sweep, which the next one overwrites; row 0 is never written. */
  readonly rows: Int32Array;
}

const indexes = new WeakMap<Order, OrderIndex>();

/** The index of an order, made once: O(receives + edges * log edges). */
export function indexOf(order: Order): OrderIndex {
  const made = indexes.get(order);
  if (made !== undefined) return made;
  const index = makeIndex(order);
  indexes.set(order, index);
  return index;
}

function makeIndex(order: Order): OrderIndex {
  const { topological, receives, receiveProbe, receiveStart } = order;
  const count = topological.length;
  const placeOf = new Int32Array(count);
  for (let place = 0; place < count; place++) placeOf[at(topological, place)] = place;

  const event = new Int32Array(count);
  const { row, rowCount } = giveRows(order, placeOf);
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
    const own = at(receiveProbe, receive);
    probe[place] = own;
    if (receive > at(receiveStart, own)) {
      previousRow[place] = at(row, at(placeOf, receive - 1));
    }
    const end = at(order.edgeStart, receive + 1);
    for (let from = at(order.edgeStart, receive); from < end; from++, edge++) {
      sender[edge] = at(order.edgeFrom, from);
      senderProbe[edge] = at(order.edgeProbe, from);
      const before = at(order.edgeReceive, from);
      senderRow[edge] = before < 0 ? 0 : at(row, at(placeOf, before));
    }
    edgeStart[place + 1] = edge;
  }
  const fitting = Math.max(LEAST_COLUMNS, ROW_BYTES / 4 / rowCount);
  const columns = 4 * Math.ceil(Math.min(receiveStart.length - 1, fitting) / 4);
  const bySender = sortBySender(sender);
  return {
    event,
    probe,
    row,
    previousRow,
    edgeStart,
    sender,
    senderProbe,
    senderRow,
    bySender,
    sorted: bySender.map((edge) => at(sender, edge)),
    sortedProbe: bySender.map((edge) => at(senderProbe, edge)),
    placeOf,
    columns,
    rows: new Int32Array(rowCount * columns),
  };
}

/**
 * A row for each receive, by its place: that of another one which no later receive reads. Row 0 is
 * given to none. Messages arrive soon, so there are few rows, and they stay in a processor's cache.
 */
function giveRows(
  { receives, receiveProbe, edgeStart, edgeReceive }: Order,
  placeOf: Int32Array,
): { readonly row: Int32Array; readonly rowCount: number } {
  const count = receives.length;
  // For each receive, in the session's numbering, the place of the last one that reads its row.
  const lastRead = Int32Array.from(placeOf);
  for (let receive = 0; receive < count; receive++) {
    const place = at(placeOf, receive);
    const isNext = receive > 0 && at(receiveProbe, receive - 1) === at(receiveProbe, receive);
    if (isNext && place > at(lastRead, receive - 1)) lastRead[receive - 1] = place;
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      const from = at(edgeReceive, edge);
      if (from >= 0 && place > at(lastRead, from)) lastRead[from] = place;
    }
  }
  const row = new Int32Array(count);
  // The receives that are read last at each place, as lists: the first, and the next of each.
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(count).fill(-1);
  lastRead.forEach((last, receive) => {
    next[receive] = at(first, last);
    first[last] = receive;
  });
  const free: number[] = [];
  let rowCount = 1;
  for (let place = 0; place < count; place++) {
    row[place] = free.pop() ?? rowCount++;
    for (let done = at(first, place); done >= 0; done = at(next, done)) {
      free.push(at(row, at(placeOf, done)));
    }
  }
  return { row, rowCount };
}

/** Sorts numbers that hold the sender above the edge: typed arrays sort without a comparison. */
function sortBySender(sender: Int32Array): Int32Array {
  const keys = new Float64Array(sender.length);
  const factor = sender.length + 1;
  for (let edge = 0; edge < keys.length; edge++) keys[edge] = at(sender, edge) * factor + edge;
  keys.sort();
  return Int32Array.from(keys, (key) => key % factor);
}
