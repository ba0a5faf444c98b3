import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import type { OrderIndex } from './order-index.js';

/** Clocks as far as they are not 0, for sessions of many timelines that know little of each other. */
export interface SparseClocks {
  /** For each row its first entry; one more entry at the end. */
  readonly start: Int32Array;
  /** The timeline of each entry, ascending within a row. */
  readonly timeline: Int32Array;
  /** How many events of the earlier list go with the row there. */
  readonly rank: Int32Array;
}

/** With fewer timelines, to sweep clocks of all of them is faster. */
export const MANY_TIMELINES = 256;
/** Clocks with more of all their entries are not sparse. */
const MOST_DENSE = 1 / 32;
/** More entries are not kept: they take eight bytes each. */
const MOST_ENTRIES = 2 ** 24;
/** The clocks of more timelines are swept only up to so many entries, which take seconds. */
const SWEPT_TIMELINES = 4_096;
const MOST_SWEPT = 2e9;

/**
 * For each receive how many events of a list come before it or are it, on the timelines where there
 * are any. What a receive knows is what the one before it on its timeline knew, and its senders.
 *
 * O(entries), besides sorting those of each receive.
 *
 * @param index its receives are the rows
 * @param sources how many timelines have events of the list
 * @param sentRank for each edge how many events of the list its timeline has up to its sender
 * @returns undefined where they are not sparse
 */
export function sparseClocks(
  index: OrderIndex,
  sentRank: Int32Array,
  sources: number,
): SparseClocks | undefined {
  const { probe, edgeStart, senderProbe, previous, senderAt, timelines } = index;
  const count = probe.length;
  const most = Math.min(MOST_ENTRIES, count * sources * MOST_DENSE);
  const start = new Int32Array(count + 1);
  let timeline = new Int32Array(Math.min(most, 4 * count) + 16);
  let rank = new Int32Array(timeline.length);
  /** Of the row under way, by timeline. */
  const known = new Int32Array(timelines);
  let touched = new Int32Array(16);
  let size = 0;
  let isSorted = true;
  const raise = (of: number, to: number): void => {
    const before = at(known, of);
    if (to <= before) return;
    known[of] = to;
    if (before > 0) return;
    if (size === touched.length) touched = grown(touched);
    if (size > 0 && of < at(touched, size - 1)) isSorted = false;
    touched[size++] = of;
  };
  const take = (place: number): void => {
    const end = at(start, place);
    for (let entry = place === 0 ? 0 : at(start, place - 1); entry < end; entry++) {
      raise(at(timeline, entry), at(rank, entry));
    }
  };
  for (let receive = 0; receive < count; receive++) {
    [size, isSorted] = [0, true];
    take(at(previous, receive));
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      take(at(senderAt, edge));
      raise(at(senderProbe, edge), at(sentRank, edge));
    }
    const first = at(start, receive);
    if (first + size > most) return undefined;
    while (first + size > timeline.length) [timeline, rank] = [grown(timeline), grown(rank)];
    let end = first;
    if (!isSorted) sortFirst(touched, size);
    for (let entry = 0; entry < size; entry++) {
      const of = at(touched, entry);
      // What comes before it on its own timeline, each event knows by itself.
      if (of !== at(probe, receive)) {
        timeline[end] = of;
        rank[end++] = at(known, of);
      }
      known[of] = 0;
    }
    start[receive + 1] = end;
  }
  return { start, timeline, rank };
}

/** The clocks of some of the receives, as rows. */
export function someRows(
  { start, timeline, rank }: SparseClocks,
  receives: Int32Array,
): SparseClocks {
  const starts = new Int32Array(receives.length + 1);
  receives.forEach((receive, row) => {
    starts[row + 1] = at(starts, row) + at(start, receive + 1) - at(start, receive);
  });
  const size = at(starts, receives.length);
  const rows = { start: starts, timeline: new Int32Array(size), rank: new Int32Array(size) };
  receives.forEach((receive, row) => {
    const [from, to] = [at(start, receive), at(start, receive + 1)];
    rows.timeline.set(timeline.subarray(from, to), starts[row]);
    rows.rank.set(rank.subarray(from, to), starts[row]);
  });
  return rows;
}

/** Sorts the first entries: mostly a few, for which the array's own way is slow. */
function sortFirst(array: Int32Array, size: number): void {
  if (size > 32) {
    array.subarray(0, size).sort();
    return;
  }
  for (let next = 1; next < size; next++) {
    const item = at(array, next);
    let place = next;
    for (; place > 0 && at(array, place - 1) > item; place--) array[place] = at(array, place - 1);
    array[place] = item;
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** How many events go with a row on a timeline. O(log entries of the row). */
export function sparseRank(clocks: SparseClocks, row: number, of: number): number {
  const { start, timeline, rank } = clocks;
  let [low, high] = [at(start, row), at(start, row + 1)];
  const end = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(timeline, middle) < of) low = middle + 1;
    else high = middle;
  }
  return low < end && timeline[low] === of ? at(rank, low) : 0;
}

/** @throws {Undecided} where clocks of so many timelines, for so many receives, take too long */
export function expectSweepable(timelines: number, receives: number): void {
  if (timelines <= SWEPT_TIMELINES || timelines * receives <= MOST_SWEPT) return;
  const n = (count: number) => count.toLocaleString('en');
  throw new Undecided(
    'WHEN',
    `what comes before ${n(receives)} events has to be known on ${n(timelines)} timelines, most of which tie each other`,
    'match events of fewer timelines, or measure a part of the session',
  );
}
