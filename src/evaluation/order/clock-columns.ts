import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';
import {
  expectSweepable,
  MANY_TIMELINES,
  type SparseClocks,
  someRows,
  sparseClocks,
} from './sparse-clocks.js';

/** Blocks up to this many bytes together are kept for the next pass between the same lists. */
const KEPT_BYTES = 64e6;

/**
 * Of each event of one list, what of another goes with it on each probe: so many of the first ones
 * there.
 */
export interface Clocks {
  /** For each event of the list its row in the blocks, or -1: nothing goes with it. */
  readonly rowOf: Int32Array;
  readonly rows: number;
  /** Whether rows say it of the event's own probe too; else it is what comes before the event. */
  readonly hasOwn: boolean;
  /** What must be looked at: nothing, for the event's own probe, and the blocks. */
  passes(): Iterable<ClockPart | undefined>;
  blocks(): Iterable<ClockPart>;
}

/** Some of what clocks say: some columns of all rows, or all that is not 0. */
export type ClockPart = Block | SparseClocks;

/** Some columns of the clocks of one list over another. */
export interface Block {
  /** The probe of each column, ascending. */
  readonly probes: Int32Array;
  /** The column of each probe, or -1. */
  readonly columnOf: Int32Array;
  /**
   * For each row and each column: how many of the earlier list go with it. 0 on the probe of the row
   * where each event knows by itself.
   */
  readonly ranks: Int32Array;
}

/** Fills a block for the segments that begin with receives; -1 is none. */
type Pass = (block: Block, segmentAt: Int32Array) => void;

/**
 * The clocks of the events of `b` over those of `a`: on each probe of `a`, how many of its
 * events come before. Nothing is swept before it is asked for.
 *
 * O((receives + edges) * probes of a).
 */
export class ClockColumns implements Clocks {
  readonly rowOf: Int32Array;
  readonly rows: number;
  readonly hasOwn = false;
  readonly #index: OrderIndex;
  readonly #b: Matches;
  readonly #sources: Int32Array;
  readonly #probes: number;
  readonly #sentRank: Int32Array;
  readonly #segmentAt: Int32Array;
  readonly #kept: Block[] | undefined;
  #sparse: SparseClocks | undefined | 'not asked for' = 'not asked for';
  #pass: Pass = (block, segmentAt) => {
    sweep(this.#index, block, segmentAt, this.#sentRank);
  };

  constructor(session: Session, a: Matches, b: Matches) {
    this.#index = indexOf(session.order);
    this.#b = b;
    this.rowOf = b.segments.of;
    this.rows = b.segments.receives.length;
    this.#probes = session.timelines.probe.length;
    this.#sources = a.sources;
    this.#sentRank = sentRanks(this.#index, a);
    this.#segmentAt = new Int32Array(this.#index.row.length).fill(-1);
    b.segments.receives.forEach((receive, segment) => {
      this.#segmentAt[receive] = segment;
    });
    this.#kept = areKept(this.#index, this.rows, this.#sources.length) ? [] : undefined;
  }

  /** Has another pass over the receives fill the blocks on its way. */
  sweepBy(pass: Pass): void {
    this.#pass = pass;
  }

  /** First nothing, for what happens on one probe and needs no clock, then the blocks. */
  *passes(): Generator<ClockPart | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  /** The clocks at once where they are sparse, else block by block. @throws {Undecided} for too many */
  *blocks(): Generator<ClockPart> {
    if (this.#sparse === 'not asked for') this.#sparse = this.#findSparse();
    if (this.#sparse === undefined) yield* this.columns();
    else yield this.#sparse;
  }

  #findSparse(): SparseClocks | undefined {
    if (this.#sources.length <= MANY_TIMELINES) return undefined;
    const all = sparseClocks(this.#index, this.#sentRank, this.#sources.length);
    if (all !== undefined) return someRows(all, this.#b.segments.receives);
    expectSweepable(this.#sources.length, this.#index.event.length);
    return undefined;
  }

  /** Gives the blocks one after the other. */
  *columns(): Generator<Block> {
    const { columns } = this.#index;
    for (let first = 0; first < this.#sources.length; first += columns) {
      let block = this.#kept?.[first / columns];
      if (block === undefined) {
        block = this.#sweep(this.#sources.subarray(first, first + columns));
        this.#kept?.push(block);
      }
      yield block;
    }
  }

  #sweep(probes: Int32Array): Block {
    const columnOf = new Int32Array(this.#probes).fill(-1);
    probes.forEach((probe, column) => {
      columnOf[probe] = column;
    });
    const ranks = new Int32Array(this.#b.segments.receives.length * probes.length);
    const block = { probes, columnOf, ranks };
    this.#pass(block, this.#segmentAt);
    return block;
  }
}

/** Whether the blocks of so many rows and probes take little, with the columns of all timelines. */
export function areKept({ columns, timelines }: OrderIndex, rows: number, probes: number): boolean {
  return 4 * (rows * probes + Math.ceil(probes / columns) * timelines) <= KEPT_BYTES;
}

/**
 * Fills a block: how many events of a list, on the probe of each column, come before a receive or
 * are it. A receive knows what the one before it on its probe knew, and what its senders knew; row 0
 * belongs to no receive and holds zeros.
 *
 * One pass in topological order. What it reads was written shortly before and is in the cache.
 *
 * @param segmentAt for each receive the segment that begins with it, or -1
 * @param sentRank for each edge how many events of the list its probe has up to its sender
 */
function sweep(index: OrderIndex, block: Block, segmentAt: Int32Array, sentRank: Int32Array): void {
  const { probes, columnOf } = block;
  const { probe, row, previousRow, edgeStart, senderProbe, senderRow, columns, rows } = index;
  const width = probes.length;
  for (let receive = 0; receive < row.length; receive++) {
    const own = at(row, receive) * columns;
    const end = at(edgeStart, receive + 1);
    let known = at(previousRow, receive) * columns;
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      takeLarger(rows, own, known, at(senderRow, edge) * columns, width);
      known = own;
      const column = at(columnOf, at(senderProbe, edge));
      if (column >= 0 && at(sentRank, edge) > at(rows, own + column)) {
        rows[own + column] = at(sentRank, edge);
      }
    }
    const segment = at(segmentAt, receive);
    if (segment >= 0) copyClock(block, segment, rows, own, at(probe, receive));
  }
}

/** Writes the clock of a segment; 0 on its own probe. */
export function copyClock(
  { probes, columnOf, ranks }: Block,
  segment: number,
  rows: Int32Array,
  from: number,
  own: number,
): void {
  const to = segment * probes.length;
  for (let column = 0; column < probes.length; column++) {
    ranks[to + column] = at(rows, from + column);
  }
  const ownColumn = at(columnOf, own);
  if (ownColumn >= 0) ranks[to + ownColumn] = 0;
}

/**
 * Fills a row with the larger ones of two others, of so many columns or up to three more: four at a
 * time, and by `rows[i]` instead of `at`, which takes half the time.
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

/** The larger one of two ranks, without a branch: a processor could not predict it. */
function larger(a: number, b: number): number {
  const more = b - a;
  return a + (more & ~(more >> 31));
}

/** For each edge how many events of the list its sender's probe has up to it. O(edges + events). */
export function sentRanks(
  { bySender, sender, senderProbe }: OrderIndex,
  list: Matches,
): Int32Array {
  const ranks = new Int32Array(sender.length);
  const { events, start } = list;
  let next = 0;
  for (const edge of bySender) {
    while (next < events.length && at(events, next) <= at(sender, edge)) next++;
    ranks[edge] = Math.max(0, next - at(start, at(senderProbe, edge)));
  }
  return ranks;
}
