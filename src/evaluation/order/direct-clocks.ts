import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { sortByRank, union } from '../select/candidates.js';
import type { Clocks } from './clock-columns.js';
import { cachedClocks, growArray, maxOf, rankSends, type SparseClocks } from './clock-rows.js';
import { Matches } from './matches.js';
import { type OrderIndex, orderIndexOf } from './order-index.js';

/** Maximum number of entries in a table. */
const MAX_NUMBERS = 2 ** 24;

/**
 * Finds the pairs of an event of `a` before an event of `b` with no event of `via` in between. The pairs are the
 * difference of two clocks: all pairs of `a -> b`, minus the pairs of `a -> x -> b`.
 *
 * Visits the events of `via` and `b` in topological order. On each timeline, the events of `a` before the visited event
 * begin with the events that have an `x` in between. Bisection finds the end of these events. An event of `a` has an
 * `x` in between if and only if one of its next events of `via` precedes the visited event. These next events are known
 * because they were visited earlier.
 *
 * O(timelines of a) for each event of `via` and `b`, if each event of `a` has few next events.
 *
 * @returns both clocks; undefined if their tables would be too large
 */
export function computeDirectClocks(
  session: Session,
  a: Matches,
  b: Matches,
  via: Matches,
): readonly [Clocks, Clocks] | undefined {
  const index = orderIndexOf(session.order);
  const clocks = cachedClocks(index);
  const { sources } = a;
  const maxNumbers = Math.max(b.size, index.timelines) * sources.length;
  if (clocks === undefined || maxNumbers > MAX_NUMBERS) return undefined;
  const { ranks: sends } = clocks;
  const width = index.timelines;
  const laterMatches = new Matches(session, union(via.events, b.events));
  const [aAt, viaAt, bAt] = [
    positionsIn(a, laterMatches),
    positionsIn(via, laterMatches),
    positionsIn(b, laterMatches),
  ];
  const { sentNew, sentBetween, sendFrom } = sendsOf(index, a, via);
  const nexts = new NextEvents(a.size);
  // For each timeline, the number of events on each timeline of `a` before its last visited event of `via`. Saves the
  // search for an `x` on the timeline of the visited event or of the event of `a`.
  const knownBefore = new Int32Array(index.timelines * sources.length);
  const rowOf = new Int32Array(b.size);
  const start = new Int32Array(b.size + 1);
  let [timeline, allClocks, someClocks] = [
    new Int32Array(b.size),
    new Int32Array(b.size),
    new Int32Array(b.size),
  ];
  let [rows, size] = [0, 0];
  for (const position of topological(laterMatches)) {
    const event = at(laterMatches.events, position);
    const [asVia, asB] = [at(viaAt, position), at(bAt, position)];
    const [isVia, isB] = [via.events[asVia] === event, b.events[asB] === event];
    const ownTimeline = at(laterMatches.probes, position);
    const receive = laterMatches.receiveBefore(position);
    const row = (receive === 0 ? index.event.length : receive - 1) * width;
    const before = ownTimeline * sources.length;
    const ownEnd = at(aAt, position) - at(a.start, ownTimeline);
    for (let column = 0; column < sources.length; column++) {
      const probe = at(sources, column);
      const send = probe === ownTimeline ? 0 : at(sends, row + probe);
      const end = probe === ownTimeline ? ownEnd : at(sentNew, send);
      if (end <= at(knownBefore, before + column)) continue;
      let first = maxOf(at(knownBefore, before + column), at(sentBetween, send));
      if (isVia) knownBefore[before + column] = end;
      const base = at(a.start, probe);
      for (let high = end, middle = end - 1; first < high; middle = (first + high) >> 1) {
        if (nexts.hasEarlier(base + middle, sends, row)) first = middle + 1;
        else high = middle;
      }
      if (first === end) continue;
      if (isVia && probe !== ownTimeline)
        nexts.add(base + first, base + end, ownTimeline, at(sendFrom, asVia));
      if (!isB) continue;
      if (size === timeline.length) {
        [timeline, allClocks, someClocks] = [
          growArray(timeline),
          growArray(allClocks),
          growArray(someClocks),
        ];
      }
      timeline[size] = probe;
      allClocks[size] = end;
      someClocks[size++] = first;
    }
    if (!isB) continue;
    rowOf[asB] = rows++;
    start[rows] = size;
  }
  return [
    clocksIn(rowOf, { start, timeline, rank: allClocks }),
    clocksIn(rowOf, { start, timeline, rank: someClocks }),
  ];
}

function clocksIn(rowOf: Int32Array, part: SparseClocks): Clocks {
  const parts = [part];
  return { rowOf, rows: rowOf.length, hasOwn: true, passes: () => parts, blocks: () => parts };
}

/** For each event of `a`, the visited events of `via` that come next after the event. */
class NextEvents {
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /**
   * Entries of three numbers: the event's timeline, its first send at or after the event, and the index of the next
   * entry or 0.
   */
  #entries = new Int32Array(3 * 1024);
  #size = 3;

  constructor(size: number) {
    this.#first = new Int32Array(size);
    this.#last = new Int32Array(size);
  }

  /** Adds a next event for the events from `from` to `to`, exclusive. */
  add(from: number, to: number, timeline: number, send: number): void {
    for (let event = from; event < to; event++) {
      if (this.#size === this.#entries.length) this.#entries = growArray(this.#entries);
      const entry = this.#size;
      this.#size += 3;
      this.#entries[entry] = timeline;
      this.#entries[entry + 1] = send;
      if (at(this.#first, event) === 0) this.#first[event] = entry;
      else this.#entries[at(this.#last, event) + 2] = entry;
      this.#last[event] = entry;
    }
  }

  /** True if a send orders one of an event's next events before the visited event. */
  hasEarlier(event: number, sends: Int32Array, row: number): boolean {
    const entries = this.#entries;
    for (let entry = at(this.#first, event); entry > 0; entry = at(entries, entry + 2)) {
      if (at(sends, row + at(entries, entry)) >= at(entries, entry + 1)) return true;
    }
    return false;
  }
}

/**
 * Relates the sends to the events of `a` and `via` on their timelines.
 *
 * - `sentNew`: for each send, the number of events of `a` up to the send; 0 if none follows the last event of `via` up
 * to the send.
 * - `sentBetween`: for each send, the number of events of `a` before the last event of `via` up to the send.
 * - `sendFrom`: for each event of `via`, the first send at or after the event.
 */
function sendsOf(index: OrderIndex, a: Matches, via: Matches) {
  const { sendEvent, sendProbe } = index;
  const sentNew = rankSends(index, a);
  const sentBetween = new Int32Array(sendEvent.length);
  const sendFrom = new Int32Array(via.size).fill(sendEvent.length);
  const aAt = positionsIn(a, via);
  let rank = 0;
  for (let send = 1, next = 0; send < sendEvent.length; send++) {
    const probe = at(sendProbe, send);
    const first = next;
    while (next < via.size && at(via.events, next) <= at(sendEvent, send)) sendFrom[next++] = send;
    if (next > first) rank = at(aAt, next - 1) - at(a.start, probe);
    if (next === at(via.start, probe)) continue;
    sentBetween[send] = rank;
    if (at(sentNew, send) <= rank) sentNew[send] = 0;
  }
  return { sentNew, sentBetween, sendFrom };
}

/** Returns the positions of a list's events in topological order. */
function topological({ segments: { of, receives } }: Matches): Int32Array {
  const ranks = of.map((segment) => segment + 1);
  return sortByRank(ranks, receives.length + 1);
}

/** Returns, for each event of `later`, the number of the first list's events with a smaller index. */
function positionsIn({ events }: Matches, later: Matches): Int32Array {
  const positions = new Int32Array(later.size);
  for (let position = 0, next = 0; position < later.size; position++) {
    while (next < events.length && at(events, next) < at(later.events, position)) next++;
    positions[position] = next;
  }
  return positions;
}
