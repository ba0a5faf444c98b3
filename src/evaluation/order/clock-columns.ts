import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import { firstAtLeast } from '../select/candidates.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex, type ReceiveClocks, takeLarger } from './order-index.js';

/** Blocks of up to this many bytes in all are kept for the next pass between the same lists. */
const KEPT_BYTES = 64e6;

/**
 * For each event of one list, which events of another go with it on each probe: how many of the
 * first ones there.
 */
export interface Clocks {
  /** For each event of the list, its row in the blocks, or -1 if nothing goes with it. */
  readonly rowOf: Int32Array;
  readonly rows: number;
  /** Whether rows cover the event's own probe too; if not, what comes before the event there goes with it. */
  readonly hasOwn: boolean;
  /** What must be gone through: `undefined`, for the event's own probe, and the blocks. */
  passes(): Iterable<ClockPart | undefined>;
  blocks(): Iterable<ClockPart>;
}

/** A part of clocks: some columns of all rows, or everything that is not 0. */
export type ClockPart = Block | SparseClocks;

/** Some columns of the clocks of one list over another. */
export interface Block {
  /** The probe of each column, ascending. */
  readonly probes: Int32Array;
  /** The column of each probe, or -1. */
  readonly columnOf: Int32Array;
  /**
   * For each row and each column, how many events of the earlier list go with the row; 0 on the
   * row's own probe if events know that by themselves.
   */
  readonly ranks: Int32Array;
}

/** Clocks over the events of a list, made when they are asked for: sparse ones at once, or block by block. */
export abstract class MadeClocks implements Clocks {
  abstract readonly rowOf: Int32Array;
  abstract readonly hasOwn: boolean;
  protected readonly index: OrderIndex;
  protected readonly sources: Int32Array;
  readonly #kept: Block[] | undefined;
  #sparse: SparseClocks | undefined | 'not asked for' = 'not asked for';

  constructor(
    session: Session,
    protected readonly a: Matches,
    readonly rows: number,
  ) {
    this.index = indexOf(session.order);
    this.sources = a.sources;
    const { columns, timelines } = this.index;
    const entries = rows * this.sources.length;
    // The blocks also hold the column of each timeline.
    const others = Math.ceil(this.sources.length / columns) * timelines;
    this.#kept = 4 * (entries + others) <= KEPT_BYTES ? [] : undefined;
  }

  /** Undefined if they are not sparse. */
  protected abstract findSparse(): SparseClocks | undefined;
  /** How many rows one pass for a block goes through. */
  protected abstract get swept(): number;
  /** Fills a block of zeros whose columns begin with one of the sources. */
  protected abstract fill(block: Block, first: number): void;

  passes(): Iterable<ClockPart | undefined> {
    return this.blocks();
  }

  /** @throws {Undecided} if there are too many to sweep */
  *blocks(): Generator<ClockPart> {
    if (this.#sparse === 'not asked for') {
      const areMany = this.sources.length > this.index.limits.timelines;
      this.#sparse = areMany ? this.findSparse() : undefined;
      if (areMany && this.#sparse === undefined) expectSweepable(this.sources.length, this.swept);
    }
    if (this.#sparse === undefined) yield* this.columns();
    else yield this.#sparse;
  }

  /** Gives the blocks one after another. */
  *columns(): Generator<Block> {
    const { columns } = this.index;
    for (let first = 0; first < this.sources.length; first += columns) yield this.block(first);
  }

  /** The block whose columns begin with one of the sources. */
  block(first: number): Block {
    const { columns, timelines } = this.index;
    const known = this.#kept?.[first / columns];
    if (known !== undefined) return known;
    const probes = this.sources.subarray(first, first + columns);
    const columnOf = new Int32Array(timelines).fill(-1);
    probes.forEach((probe, column) => {
      columnOf[probe] = column;
    });
    const block = { probes, columnOf, ranks: new Int32Array(this.rows * probes.length) };
    this.fill(block, first);
    this.#kept?.push(block);
    return block;
  }
}

/**
 * The clocks of the events of `b` over those of `a`: on each probe of `a`, how many of its
 * events come before. Nothing is swept before it is asked for.
 *
 * O((receives + edges) * probes of a).
 */
export class ClockColumns extends MadeClocks {
  readonly rowOf: Int32Array;
  readonly hasOwn = false;
  readonly #receives: Int32Array;
  readonly #sentRank: Int32Array;

  constructor(session: Session, a: Matches, b: Matches) {
    const { of, receives } = b.segments;
    super(session, a, receives.length);
    this.rowOf = of;
    this.#receives = receives;
    this.#sentRank = sentRanks(this.index, a);
  }

  /** First `undefined`, for what happens on one probe and needs no clock, then the blocks. */
  override *passes(): Generator<ClockPart | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  protected override findSparse(): SparseClocks | undefined {
    const all = sparseClocks(this.index, this.a);
    return all && someRows(all, this.#receives);
  }

  protected override get swept(): number {
    return this.index.event.length;
  }

  protected override fill(block: Block): void {
    const clocks = this.index.clocks();
    if (clocks === undefined) sweep(this.index, block, this.#receives, this.#sentRank);
    else takeRows(this.index, block, this.#receives, this.#sentRank, clocks);
  }
}

/**
 * Fills a block: how many events of a list, on the probe of each column, come before a receive or
 * are it; 0 on its own probe. A receive knows what the one before it on its probe knew, and what its
 * senders knew; row 0 belongs to no receive and holds zeros.
 *
 * One pass in topological order. What it reads was written shortly before and is in the cache.
 *
 * @param receives the receives of the block's rows
 * @param sentRank for each send, how many events of the list its probe has up to it
 */
function sweep(
  index: OrderIndex,
  { probes, columnOf, ranks }: Block,
  receives: Int32Array,
  sentRank: Int32Array,
): void {
  const { probe, row, previousRow, edgeStart, senderProbe, senderRow, sendNumber, columns, rows } =
    index;
  const width = probes.length;
  let segment = 0;
  for (let receive = 0; receive < row.length; receive++) {
    const own = at(row, receive) * columns;
    const end = at(edgeStart, receive + 1);
    let known = at(previousRow, receive) * columns;
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      takeLarger(rows, own, known, at(senderRow, edge) * columns, width);
      known = own;
      const column = at(columnOf, at(senderProbe, edge));
      const rank = at(sentRank, at(sendNumber, edge));
      if (column >= 0 && rank > at(rows, own + column)) rows[own + column] = rank;
    }
    if (receive !== receives[segment]) continue;
    const to = segment++ * width;
    for (let column = 0; column < width; column++) ranks[to + column] = at(rows, own + column);
    const ownColumn = at(columnOf, at(probe, receive));
    if (ownColumn >= 0) ranks[to + ownColumn] = 0;
  }
}

/** Fills a block in the same way, but from the clocks of all receives. */
function takeRows(
  { probe }: OrderIndex,
  { probes, columnOf, ranks }: Block,
  receives: Int32Array,
  sentRank: Int32Array,
  { sends, width }: ReceiveClocks,
): void {
  const columns = probes.length;
  for (let segment = 0; segment < receives.length; segment++) {
    const receive = at(receives, segment);
    const row = (receive + 1) * width;
    const to = segment * columns;
    for (let column = 0; column < columns; column++) {
      ranks[to + column] = at(sentRank, at(sends, row + at(probes, column)));
    }
    const own = at(columnOf, at(probe, receive));
    if (own >= 0) ranks[to + own] = 0;
  }
}

/** For each send, by its number, how many events of the list its probe has up to it. O(edges + events). */
export function sentRanks(
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

/** The entries of clocks that are not 0, for sessions of many timelines that know little of each other. */
export interface SparseClocks {
  /** For each row, its first entry; one more entry at the end. */
  readonly start: Int32Array;
  /** The timeline of each entry, ascending within a row. */
  readonly timeline: Int32Array;
  /** How many events of the earlier list go with the row there, perhaps none. */
  readonly rank: Int32Array;
}

/** More entries than this are not kept: they take eight bytes each. */
const MOST_ENTRIES = 2 ** 24;
/** The clocks of more timelines than this are swept only up to that many entries, which takes seconds. */
const SWEPT_TIMELINES = 4_096;
const MOST_SWEPT = 2e9;

/** Sparse clocks that are made row by row. */
export class SparseRows implements SparseClocks {
  readonly start: Int32Array;
  timeline: Int32Array;
  rank: Int32Array;
  readonly #most: number;
  #rows = 0;
  /** The row in progress, by timeline. */
  readonly #known: Int32Array;
  #touched = new Int32Array(16);
  #size = 0;
  #isSorted = true;

  /** @param most the most entries that count as sparse */
  constructor(rows: number, timelines: number, most: number) {
    this.#most = Math.min(MOST_ENTRIES, most);
    this.start = new Int32Array(rows + 1);
    this.timeline = new Int32Array(Math.min(this.#most, 4 * rows) + 16);
    this.rank = new Int32Array(this.timeline.length);
    this.#known = new Int32Array(timelines);
  }

  /** Raises what the row in progress knows of a timeline to at least a number of events. */
  raise(of: number, to: number): void {
    const before = at(this.#known, of);
    if (to <= before) return;
    this.#known[of] = to;
    if (before > 0) return;
    if (this.#size === this.#touched.length) this.#touched = grown(this.#touched);
    if (this.#size > 0 && of < at(this.#touched, this.#size - 1)) this.#isSorted = false;
    this.#touched[this.#size++] = of;
  }

  /** Adds to the row in progress what another one knows, which is given by its place from 1; 0 is none. */
  take({ start, timeline, rank }: SparseClocks, place: number): void {
    const end = at(start, place);
    for (let entry = place === 0 ? 0 : at(start, place - 1); entry < end; entry++) {
      this.raise(at(timeline, entry), at(rank, entry));
    }
  }

  /**
   * Ends the row, without what it knows of one timeline.
   *
   * @returns false if there are too many entries
   */
  end(without = -1): boolean {
    let end = at(this.start, this.#rows);
    if (end + this.#size > this.#most) return false;
    while (end + this.#size > this.timeline.length) {
      this.timeline = grown(this.timeline);
      this.rank = grown(this.rank);
    }
    if (!this.#isSorted) sortFirst(this.#touched, this.#size);
    for (let entry = 0; entry < this.#size; entry++) {
      const of = at(this.#touched, entry);
      if (of !== without) {
        this.timeline[end] = of;
        this.rank[end++] = at(this.#known, of);
      }
      this.#known[of] = 0;
    }
    this.start[++this.#rows] = end;
    this.#size = 0;
    this.#isSorted = true;
    return true;
  }
}

/**
 * For each receive, how many events of a list come before it or are it, on the timelines where there
 * are any. A receive knows what the one before it on its timeline knew, and what its senders knew.
 *
 * O(entries), plus sorting those of each receive.
 *
 * @returns undefined if they are not sparse
 */
export function sparseClocks(index: OrderIndex, list: Matches): SparseClocks | undefined {
  const { probe, edgeStart, senderProbe, sendNumber, previous, senderAt, timelines } = index;
  const sentRank = sentRanks(index, list);
  const most = probe.length * list.sources.length * index.limits.density;
  const rows = new SparseRows(probe.length, timelines, most);
  for (let receive = 0; receive < probe.length; receive++) {
    rows.take(rows, at(previous, receive));
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      rows.take(rows, at(senderAt, edge));
      rows.raise(at(senderProbe, edge), at(sentRank, at(sendNumber, edge)));
    }
    // What comes before it on its own timeline, each event knows by itself.
    if (!rows.end(at(probe, receive))) return undefined;
  }
  return rows;
}

/** The clocks of some of the receives, as rows. */
function someRows({ start, timeline, rank }: SparseClocks, receives: Int32Array): SparseClocks {
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

/** Sorts the first entries: mostly a few, for which the array's own sort is slow. */
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

export function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** How many events go with a row on a timeline. O(log entries of the row). */
export function sparseRank(clocks: SparseClocks, row: number, of: number): number {
  const { start, timeline, rank } = clocks;
  const end = at(start, row + 1);
  const entry = firstAtLeast(timeline, of, at(start, row), end);
  return entry < end && timeline[entry] === of ? at(rank, entry) : 0;
}

/** @throws {Undecided} if clocks of that many timelines, for that many receives, take too long */
function expectSweepable(timelines: number, receives: number): void {
  if (timelines <= SWEPT_TIMELINES || timelines * receives <= MOST_SWEPT) return;
  const n = (count: number) => count.toLocaleString('en');
  throw new Undecided(
    'WHEN',
    `what comes before ${n(receives)} events has to be known on ${n(timelines)} timelines, most of which are connected`,
    'match events of fewer timelines, or measure a part of the session',
  );
}
