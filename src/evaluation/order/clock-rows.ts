import { at } from '../../source/index.js';
import { findFirstAtLeast } from '../select/candidates.js';
import type { Matches } from './matches.js';
import type { OrderIndex } from './order-index.js';

/** A builder of clocks, row by row. Each row has a rank on some timelines, by default 0. */
export interface ClockRowBuilder<Self> {
  /** Raises a timeline's rank in the current row to at least `to`. */
  raise(of: number, to: number): void;
  /** Merges a row of `rows` into the current row, taking the larger ranks. Positions count from 1; 0 means no row. */
  take(rows: Self, position: number): void;
  /**
   * Ends the current row, and omits the rank of the timeline `without`.
   *
   * @returns false if there are too many entries
   */
  end(without?: number): boolean;
}

/** Some columns of one list's clocks over another list. */
export interface Block {
  /** The probe of each column, ascending. */
  readonly probes: Int32Array;
  /** The column of each probe, or -1 if the block has no such column. */
  readonly columnOf: Int32Array;
  /**
   * For each row and column, the number of the earlier list's events that are paired with the row; 0 on the row's own
   * probe, if the order on one probe needs no clock.
   */
  readonly ranks: Int32Array;
}

/** Clock rows with all entries of some timelines. Keeping the zeros avoids unpredictable branches. */
export class DenseRows implements Block, ClockRowBuilder<DenseRows> {
  readonly ranks: Int32Array;
  #row = 0;

  /** @param rows maximum number of rows; unused rows hold zeros */
  constructor(
    rows: number,
    readonly probes: Int32Array,
    readonly columnOf: Int32Array,
  ) {
    this.ranks = new Int32Array(rows * probes.length);
  }

  raise(of: number, to: number): void {
    const column = at(this.columnOf, of);
    if (column < 0) return;
    const entry = this.#row + column;
    if (to > at(this.ranks, entry)) this.ranks[entry] = to;
  }

  /** Uses `[]` instead of `at`, because `at` takes twice the time. */
  take(rows: DenseRows, position: number): void {
    if (position === 0) return;
    const [to, from] = [this.ranks, rows.ranks];
    const end = this.#row + this.probes.length;
    let otherEntry = (position - 1) * this.probes.length;
    for (let target = this.#row; target < end; target++, otherEntry++) {
      to[target] = maxOf(to[target] as number, from[otherEntry] as number);
    }
  }

  end(without = -1): boolean {
    const column = without < 0 ? -1 : at(this.columnOf, without);
    if (column >= 0) this.ranks[this.#row + column] = 0;
    this.#row += this.probes.length;
    return true;
  }
}

/** Returns the larger of two ranks, without a branch. */
export function maxOf(a: number, b: number): number {
  const difference = b - a;
  return a + (difference & ~(difference >> 31));
}

/** The nonzero entries of clocks, for sessions of many timelines with few connections. */
export interface SparseClocks {
  /** The index of each row's first entry, and finally the number of entries. */
  readonly start: Int32Array;
  /** The timeline of each entry, ascending within a row. */
  readonly timeline: Int32Array;
  /**
   * For each entry, the number of the earlier list's events on the timeline that are paired with the row, possibly 0.
   */
  readonly rank: Int32Array;
}

/** Maximum number of entries, of eight bytes each. */
const MAX_ENTRIES = 2 ** 24;

export class SparseRows implements SparseClocks, ClockRowBuilder<SparseRows> {
  readonly start: Int32Array;
  timeline: Int32Array;
  rank: Int32Array;
  readonly #most: number;
  #rows = 0;
  /** The current row's ranks, by timeline. */
  readonly #current: Int32Array;
  #touched = new Int32Array(16);
  #size = 0;
  #isSorted = true;

  /**
   * @param sources the number of timelines that may have entries, which limits the number of entries of sparse clocks
   */
  constructor(rows: number, { timelines, limits }: OrderIndex, sources: number) {
    this.#most = Math.min(MAX_ENTRIES, rows * sources * limits.density);
    this.start = new Int32Array(rows + 1);
    this.timeline = new Int32Array(Math.min(this.#most, 4 * rows) + 16);
    this.rank = new Int32Array(this.timeline.length);
    this.#current = new Int32Array(timelines);
  }

  raise(of: number, to: number): void {
    const before = at(this.#current, of);
    if (to <= before) return;
    this.#current[of] = to;
    if (before > 0) return;
    if (this.#size === this.#touched.length) this.#touched = growArray(this.#touched);
    if (this.#size > 0 && of < at(this.#touched, this.#size - 1)) this.#isSorted = false;
    this.#touched[this.#size++] = of;
  }

  take({ start, timeline, rank }: SparseClocks, position: number): void {
    const end = at(start, position);
    for (let entry = position === 0 ? 0 : at(start, position - 1); entry < end; entry++) {
      this.raise(at(timeline, entry), at(rank, entry));
    }
  }

  end(without = -1): boolean {
    let end = at(this.start, this.#rows);
    if (end + this.#size > this.#most) return false;
    while (end + this.#size > this.timeline.length) {
      this.timeline = growArray(this.timeline);
      this.rank = growArray(this.rank);
    }
    if (!this.#isSorted) sortPrefix(this.#touched, this.#size);
    for (let entry = 0; entry < this.#size; entry++) {
      const of = at(this.#touched, entry);
      if (of !== without) {
        this.timeline[end] = of;
        this.rank[end++] = at(this.#current, of);
      }
      this.#current[of] = 0;
    }
    this.start[++this.#rows] = end;
    this.#size = 0;
    this.#isSorted = true;
    return true;
  }
}

/**
 * Computes each receive's clock as a row: on each timeline, the rank of the last send before the receive. A receive's
 * clock merges the clocks of the previous receive on its timeline and of its senders. The clock omits the receive's own
 * timeline, where the order is known without a clock.
 *
 * One pass in topological order, which mostly reads recently written memory: O(entries).
 *
 * @param rankOf the rank of each send, by number (default: the number)
 * @returns undefined if there are too many entries
 */
export function computeReceiveRows<Rows extends ClockRowBuilder<Rows>>(
  index: OrderIndex,
  rows: Rows,
  rankOf?: Int32Array,
): Rows | undefined {
  const { probe, previous, edgeStart, senderAt, senderProbe, sendNumber } = index;
  for (let receive = 0; receive < probe.length; receive++) {
    rows.take(rows, at(previous, receive));
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      rows.take(rows, at(senderAt, edge));
      const send = at(sendNumber, edge);
      rows.raise(at(senderProbe, edge), rankOf === undefined ? send : at(rankOf, send));
    }
    if (!rows.end(at(probe, receive))) return undefined;
  }
  return rows;
}

const rowCache = new WeakMap<OrderIndex, DenseRows>();

/**
 * Returns the clocks of all receives, followed by a row of zeros. An entry is the number of a timeline's last send
 * before the receive, or 0. Computes the clocks once, and returns undefined if they take too much memory.
 */
export function cachedClocks(index: OrderIndex): DenseRows | undefined {
  const { event, timelines, limits } = index;
  const rows = event.length + 1;
  if (4 * timelines * rows > limits.keptBytes) return undefined;
  const allTimelines = Int32Array.from({ length: timelines }, (_, timeline) => timeline);
  const clocks =
    rowCache.get(index) ??
    computeReceiveRows(index, new DenseRows(rows, allTimelines, allTimelines));
  if (clocks !== undefined) rowCache.set(index, clocks);
  return clocks;
}

/**
 * Returns the rank of each send, by number: how many of the list's events on the send's probe precede or equal its
 * event. O(edges + events).
 */
export function rankSends(
  { sendEvent, sendProbe }: OrderIndex,
  { events, start }: Matches,
): Int32Array {
  const ranks = new Int32Array(sendEvent.length);
  for (let send = 1, next = 0; send < ranks.length; send++) {
    while (next < events.length && at(events, next) <= at(sendEvent, send)) next++;
    ranks[send] = Math.max(0, next - at(start, at(sendProbe, send)));
  }
  return ranks;
}

/** Sorts the first `size` entries. Sorts few entries by insertion, because the array's own sort is slow for them. */
function sortPrefix(array: Int32Array, size: number): void {
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

export function growArray(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** A part of clocks: a block with some columns of all rows, or all nonzero entries. */
export type ClockPart = Block | SparseClocks;

/**
 * Returns the number of events on a timeline that are paired with a row, or 0 if the part does not cover the timeline.
 * O(log entries of the row).
 */
export function rankIn(part: ClockPart, row: number, of: number): number {
  if ('ranks' in part) {
    const column = at(part.columnOf, of);
    return column < 0 ? 0 : at(part.ranks, row * part.probes.length + column);
  }
  const { start, timeline, rank } = part;
  const end = at(start, row + 1);
  const entry = findFirstAtLeast(timeline, of, at(start, row), end);
  return entry < end && timeline[entry] === of ? at(rank, entry) : 0;
}

/** A row's entries: `ranks[i]` for `from <= i < to`, each on the timeline `timelines[i - shift]`. */
interface RowEntries {
  readonly ranks: Int32Array;
  readonly from: number;
  readonly to: number;
  readonly timelines: Int32Array;
  readonly shift: number;
}

export function entriesIn(part: ClockPart, row: number): RowEntries {
  if ('ranks' in part) {
    const { ranks, probes: timelines } = part;
    const from = row * timelines.length;
    return { ranks, from, to: from + timelines.length, timelines, shift: from };
  }
  const { start, timeline: timelines, rank: ranks } = part;
  return { ranks, from: at(start, row), to: at(start, row + 1), timelines, shift: 0 };
}
