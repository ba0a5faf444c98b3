import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import {
  type Block,
  type ClockPart,
  DenseRows,
  keptClocks,
  rowsOfReceives,
  type SparseClocks,
  SparseRows,
  sentRanks,
} from './clock-rows.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';

/** Maximum size in bytes of all blocks that are kept for the next pass between the same lists. */
const KEPT_BYTES = 64e6;

/**
 * For each event of one list, the number of events of another that go with it on each probe, counted from the first
 * there.
 */
export interface Clocks {
  /** For each event of the list, its row in the blocks, or -1 if nothing goes with it. */
  readonly rowOf: Int32Array;
  readonly rows: number;
  /** True if rows cover the event's own probe too. If not, the preceding events there go with it. */
  readonly hasOwn: boolean;
  /** The passes to make: `undefined`, for the event's own probe, and the blocks. */
  passes(): Iterable<ClockPart | undefined>;
  blocks(): Iterable<ClockPart>;
}

/** Clocks over the events of a list, made on demand: sparse ones at once, or some columns at a time. */
export abstract class MadeClocks implements Clocks {
  abstract readonly rowOf: Int32Array;
  abstract readonly hasOwn: boolean;
  protected readonly index: OrderIndex;
  protected readonly sources: Int32Array;
  readonly #kept: Block[] = [];
  #sparse: SparseClocks | undefined | 'not requested' = 'not requested';

  constructor(
    session: Session,
    protected readonly a: Matches,
    readonly rows: number,
  ) {
    this.index = indexOf(session.order);
    this.sources = a.sources;
  }

  /** Returns undefined if the clocks are not sparse. */
  protected abstract findSparse(): SparseClocks | undefined;
  /** The number of rows that one pass for a block visits. */
  protected abstract get swept(): number;
  /** Maximum number of rows of a block at a time. */
  protected get held(): number {
    return this.swept;
  }
  /** Makes the clocks over the events of some probes. */
  protected abstract make(probes: Int32Array, columnOf: Int32Array): Block;

  passes(): Iterable<ClockPart | undefined> {
    return this.blocks();
  }

  /** @throws {Undecided} if there are too many to sweep */
  *blocks(): Generator<ClockPart> {
    if (this.#sparse === 'not requested') {
      const areMany = this.sources.length > this.index.limits.timelines;
      this.#sparse = areMany ? this.findSparse() : undefined;
      if (areMany && this.#sparse === undefined) expectSweepable(this.sources.length, this.swept);
    }
    if (this.#sparse === undefined) yield* this.columns();
    else yield this.#sparse;
  }

  /** Yields the clocks, some probes at a time. */
  *columns(): Generator<Block> {
    const { limits, timelines } = this.index;
    const columns = Math.ceil(Math.min(timelines, limits.sweptBytes / 4 / (this.held + 1)));
    // The blocks also hold the column of each timeline.
    const otherBytes = Math.ceil(this.sources.length / columns) * timelines;
    const areCached = 4 * (this.rows * this.sources.length + otherBytes) <= KEPT_BYTES;
    for (let firstColumn = 0; firstColumn < this.sources.length; firstColumn += columns) {
      const cachedBlock = this.#kept[firstColumn / columns];
      if (cachedBlock !== undefined) {
        yield cachedBlock;
        continue;
      }
      const probes = this.sources.subarray(firstColumn, firstColumn + columns);
      const columnOf = new Int32Array(timelines).fill(-1);
      probes.forEach((probe, column) => {
        columnOf[probe] = column;
      });
      const part = this.make(probes, columnOf);
      if (areCached) this.#kept.push(part);
      yield part;
    }
  }
}

/**
 * The clocks of the events of `b` over those of `a`: on each probe of `a`, the number of its events before. Swept
 * only on demand.
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

  /** Yields first `undefined`, for the order on one probe, which needs no clock, then the blocks. */
  override *passes(): Generator<ClockPart | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  protected override findSparse(): SparseClocks | undefined {
    const rows = new SparseRows(this.swept, this.index, this.sources.length);
    const receiveRows = rowsOfReceives(this.index, rows, this.#sentRank);
    return receiveRows && someRows(receiveRows, this.#receives);
  }

  protected override get swept(): number {
    return this.index.event.length;
  }

  protected override make(probes: Int32Array, columnOf: Int32Array): Block {
    const { index } = this;
    const cachedRows = keptClocks(index);
    const ranks = new Int32Array(this.rows * probes.length);
    const width = probes.length;
    const denseRows = new DenseRows(cachedRows === undefined ? this.swept : 0, probes, columnOf);
    if (cachedRows === undefined) rowsOfReceives(index, denseRows, this.#sentRank);
    for (let segment = 0; segment < this.rows; segment++) {
      const receive = at(this.#receives, segment);
      const to = segment * width;
      if (cachedRows === undefined) {
        ranks.set(denseRows.ranks.subarray(receive * width, (receive + 1) * width), to);
        continue;
      }
      const row = receive * index.timelines;
      for (let column = 0; column < width; column++) {
        ranks[to + column] = at(this.#sentRank, at(cachedRows.ranks, row + at(probes, column)));
      }
    }
    return { probes, columnOf, ranks };
  }
}

/** Returns the clocks of some of the receives, as rows. */
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

/** Maximum size of a table. */
export const MAX_TABLE_BYTES = 512e6;

/** @throws {Undecided} if the parts of some clocks are too large to be held together */
export function heldTogether<Part extends ClockPart | undefined>(parts: Iterable<Part>): Part[] {
  const heldParts: Part[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (part !== undefined && 'ranks' in part) bytes += part.ranks.byteLength;
    if (bytes > MAX_TABLE_BYTES) {
      throw new Undecided(
        'WHEN',
        'the clocks of the timelines, most of which are connected, take more than 512 MB',
        'match fewer events, or events of fewer timelines',
      );
    }
    heldParts.push(part);
  }
  return heldParts;
}

/** Number of timelines beyond which at most `MAX_SWEPT` entries of clocks are swept, which takes seconds. */
const SWEPT_TIMELINES = 4_096;
const MAX_SWEPT = 2e9;

/** @throws {Undecided} if clocks of that many timelines, for that many receives, take too long */
function expectSweepable(timelines: number, receives: number): void {
  if (timelines <= SWEPT_TIMELINES || timelines * receives <= MAX_SWEPT) return;
  const n = (count: number) => count.toLocaleString('en');
  throw new Undecided(
    'WHEN',
    `computing the order before ${n(receives)} events on ${n(timelines)} timelines, most of which are connected, takes too long`,
    'match events of fewer timelines, or measure a part of the session',
  );
}
