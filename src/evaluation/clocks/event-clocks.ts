import { OWN_PROBE } from '../../basics/index.js';
import { integerAt, type Session, ValueKind } from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';

/** The clocks of a session's events, in nanoseconds from an arbitrary moment. */
export interface EventClocks {
  /** By event, the latest time of the event and all events that happened before; NaN for an event without a time. */
  readonly of: Float64Array;
  /** Like `of`, but also for events without a time; -Infinity if no earlier event has a time. */
  readonly all: Float64Array;
  /** Messages that arrived before they were sent, according to their events' times. */
  readonly backward: readonly BackwardMessages[];
}

/** The number of messages from one probe to another that arrived before they were sent. */
export interface BackwardMessages {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

const cache = new WeakMap<Session, Map<bigint, EventClocks>>();

/**
 * Computes the clocks of a session's events, once for each skew. Ignores the times of Perturb's own events.
 *
 * Takes O(events + edges) if the times are integers less than 104 days apart; otherwise sorts the times as well.
 *
 * @param skew in nanoseconds; two clocks differ by at least the skew exactly if the events' times do
 */
export function eventClocks(session: Session, skew: bigint): EventClocks {
  const cachedClocks = cache.get(session) ?? new Map<bigint, EventClocks>();
  cache.set(session, cachedClocks);
  const clocks = cachedClocks.get(skew) ?? makeClocks(session, momentsOf(session, skew));
  cachedClocks.set(skew, clocks);
  return clocks;
}

function makeClocks(session: Session, moments: Float64Array): EventClocks {
  const { order, timelines } = session;
  const { receives, receiveTimeline, receiveStart, edgeStart, edgeFrom, topological } = order;
  const clocks = new Float64Array(session.size);
  const fill = (first: number, end: number, previousMoment: number) => {
    let clock = previousMoment;
    for (let event = first; event < end; event++) {
      const moment = itemAt(moments, event);
      if (moment > clock) clock = moment;
      clocks[event] = clock;
    }
  };
  for (let line = 0; line < timelines.probe.length; line++) {
    const receive = at(receiveStart, line);
    const isReceiving = receive < at(receiveStart, line + 1);
    const end = isReceiving ? at(receives, receive) : at(timelines.start, line + 1);
    fill(at(timelines.start, line), end, Number.NEGATIVE_INFINITY);
  }
  const backward = new Map<string, { from: string; to: string; count: number }>();
  for (const receive of topological) {
    const event = at(receives, receive);
    const line = at(receiveTimeline, receive);
    let clock =
      event > at(timelines.start, line) ? itemAt(clocks, event - 1) : Number.NEGATIVE_INFINITY;
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      const sender = at(edgeFrom, edge);
      clock = Math.max(clock, itemAt(clocks, sender));
      if (!(itemAt(moments, event) < itemAt(moments, sender))) continue;
      const [from, to] = [at(order.edgeTimeline, edge), line].map(
        (event) => session.probes[at(timelines.probe, event)] as string,
      ) as [string, string];
      const key = JSON.stringify([from, to]);
      const messages = backward.get(key) ?? { from, to, count: 0 };
      messages.count++;
      backward.set(key, messages);
    }
    const isLast = receive + 1 === at(receiveStart, line + 1);
    fill(event, isLast ? at(timelines.start, line + 1) : at(receives, receive + 1), clock);
  }
  const of = moments;
  for (let event = 0; event < session.size; event++) {
    if (!Number.isNaN(itemAt(of, event))) of[event] = itemAt(clocks, event);
  }
  return { of, all: clocks, backward: [...backward.values()] };
}

/** Maximum size of a range of integers in which differences of doubles are exact. */
const MAX_DISTANCE = 2n ** 53n;

/**
 * Returns each event's time since an arbitrary moment; NaN for an event without a time, and for Perturb's own events.
 */
function momentsOf(session: Session, skew: bigint): Float64Array {
  const { columns, size, probes, start } = session;
  const moments = new Float64Array(size).fill(Number.NaN);
  const column = columns.get('time');
  if (column === undefined) return moments;
  const ownProbe = probes.indexOf(OWN_PROBE);
  const [ownStart, ownEnd] = ownProbe < 0 ? [0, 0] : [at(start, ownProbe), at(start, ownProbe + 1)];
  const { kinds, numbers, exact } = column;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isWhole = (exact?.bigIntegers.size ?? 0) === 0;
  for (let event = 0; event < size; event++) {
    if (event >= ownStart && event < ownEnd) continue;
    const kind = kinds[event];
    const number = itemAt(numbers, event);
    if (kind === ValueKind.float && Number.isFinite(number))
      isWhole &&= Number.isSafeInteger(number);
    else if (kind !== ValueKind.integer) continue;
    moments[event] = number;
    min = Math.min(min, number);
    max = Math.max(max, number);
  }
  if (min > max) return moments;
  // Rounding changed the bounds by less than a microsecond.
  const base = BigInt(Math.floor(min)) - 1_024n;
  if (!isWhole || BigInt(Math.ceil(max)) + 1_024n - base >= MAX_DISTANCE) {
    return compress(session, moments, skew);
  }
  for (let event = 0; event < size; event++) {
    if (Number.isNaN(moments[event])) continue;
    const isRounded = exact !== undefined && kinds[event] === ValueKind.integer;
    moments[event] = isRounded
      ? Number(itemAt(exact.integers, event) - base)
      : itemAt(moments, event) - Number(base);
  }
  return moments;
}

/** Shortens long gaps between times to just above the skew, which preserves all comparisons with the skew. */
function compress(session: Session, timed: Float64Array, skew: bigint): Float64Array {
  const column = session.columns.get('time');
  const values: { event: number; integerPart: bigint; fraction: number }[] = [];
  for (const [event, moment] of timed.entries()) {
    if (column === undefined || Number.isNaN(moment)) continue;
    const isInteger = column.kinds[event] === ValueKind.integer;
    const integerPart = isInteger ? integerAt(column, event) : BigInt(Math.floor(moment));
    values.push({ event, integerPart, fraction: isInteger ? 0 : moment - Math.floor(moment) });
  }
  values.sort((a, b) =>
    a.integerPart < b.integerPart
      ? -1
      : a.integerPart > b.integerPart
        ? 1
        : a.fraction - b.fraction,
  );
  const moments = new Float64Array(timed.length).fill(Number.NaN);
  let moment = 0;
  for (const [position, { event, integerPart, fraction }] of values.entries()) {
    const previous = values[position - 1];
    if (previous !== undefined) {
      const gap = integerPart - previous.integerPart;
      moment += gap > skew + 1n ? Number(skew) + 2 : Number(gap) + fraction - previous.fraction;
    }
    moments[event] = moment;
  }
  return moments;
}
