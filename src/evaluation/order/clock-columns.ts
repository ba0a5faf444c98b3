import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import {
  type Block,
  type ClockPart,
  cachedClocks,
  computeReceiveRows,
  DenseRows,
  rankSends,
  type SparseClocks,
  SparseRows,
} from './clock-rows.js';
import type { Matches } from './matches.js';
import { type OrderIndex, orderIndexOf } from './order-index.js';

/** Maximum total size in bytes of the blocks that are cached for the next pass over the same lists. */
const KEPT_BYTES = 64e6;

/**
 * For each event of one list, the number of events of another list that are paired with it, on each probe. The paired
 * events are the first of the other list's events on the probe.
 */
export interface Clocks {
  /** The row of each event in the blocks, or -1 if no event is paired with it. */
  readonly rowOf: Int32Array;
  readonly rows: number;
  /**
   * True if the rows cover the event's own probe too. Otherwise, the preceding events on that probe are paired with the
   * event.
   */
  readonly hasOwn: boolean;
  /** Yields the passes to make: `undefined` for the event's own probe, and the blocks. */
  passes(): Iterable<ClockPart | undefined>;
  blocks(): Iterable<ClockPart>;
}

/**
 * Clocks over a list's events, computed on demand: all entries at once if the clocks are sparse, otherwise some columns
 * at a time.
 */
export abstract class LazyClocks implements Clocks {
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
    this.index = orderIndexOf(session.order);
    this.sources = a.sources;
  }

  /** Computes sparse clocks. Returns undefined if the clocks are not sparse. */
  protected abstract findSparse(): SparseClocks | undefined;
  /** The number of rows that a pass for a block computes. */
  protected abstract get swept(): number;
  /** Maximum number of a block's rows in memory at a time. */
  protected get held(): number {
    return this.swept;
  }
  /** Computes the clocks over some probes' events. */
  protected abstract make(probes: Int32Array, columnOf: Int32Array): Block;

  passes(): Iterable<ClockPart | undefined> {
    return this.blocks();
  }

  /**
   * Yields all clocks, as sparse clocks or as blocks.
   *
   * @throws {Undecided} if computing the clocks takes too long
   */
  *blocks(): Generator<ClockPart> {
    if (this.#sparse === 'not requested') {
      const areMany = this.sources.length > this.index.limits.timelines;
      this.#sparse = areMany ? this.findSparse() : undefined;
      if (areMany && this.#sparse === undefined) expectSweepable(this.sources.length, this.swept);
    }
    if (this.#sparse === undefined) yield* this.columns();
    else yield this.#sparse;
  }

  /** Yields the clocks in blocks of some probes each. */
  *columns(): Generator<Block> {
    const { limits, timelines } = this.index;
    const columns = Math.ceil(Math.min(timelines, limits.sweptBytes / 4 / (this.held + 1)));
    // The blocks also store each timeline's column.
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
 * The clocks of `b` over `a`: for each event of `b`, the number of preceding events of `a` on each probe. Computed on
 * demand.
 *
 * O((receives + edges) * probes of a).
 */
export class ClockColumns extends LazyClocks {
  readonly rowOf: Int32Array;
  readonly hasOwn = false;
  readonly #receives: Int32Array;
  readonly #sentRank: Int32Array;

  constructor(session: Session, a: Matches, b: Matches) {
    const { of, receives } = b.segments;
    super(session, a, receives.length);
    this.rowOf = of;
    this.#receives = receives;
    this.#sentRank = rankSends(this.index, a);
  }

  /** Yields `undefined` for the order on one probe, which needs no clock, and then the blocks. */
  override *passes(): Generator<ClockPart | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  protected override findSparse(): SparseClocks | undefined {
    const rows = new SparseRows(this.swept, this.index, this.sources.length);
    const receiveRows = computeReceiveRows(this.index, rows, this.#sentRank);
    return receiveRows && someRows(receiveRows, this.#receives);
  }

  protected override get swept(): number {
    return this.index.event.length;
  }

  protected override make(probes: Int32Array, columnOf: Int32Array): Block {
    const { index } = this;
    const cachedRows = cachedClocks(index);
    const ranks = new Int32Array(this.rows * probes.length);
    const width = probes.length;
    const denseRows = new DenseRows(cachedRows === undefined ? this.swept : 0, probes, columnOf);
    if (cachedRows === undefined) computeReceiveRows(index, denseRows, this.#sentRank);
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

/** Returns the clocks of some receives, one row each. */
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

/** Maximum size of a table, in bytes. */
export const MAX_TABLE_BYTES = 512e6;

/**
 * Collects all parts of clocks.
 *
 * @throws {Undecided} if the parts take more than `MAX_TABLE_BYTES`
 */
export function collectParts<Part extends ClockPart | undefined>(parts: Iterable<Part>): Part[] {
  const heldParts: Part[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (part !== undefined && 'ranks' in part) bytes += part.ranks.byteLength;
    if (bytes > MAX_TABLE_BYTES) {
      throw new Undecided(
        'WHEN',
        'most timelines are connected, so their vector clocks need more than 512 MB',
        'match fewer events, or events from fewer timelines',
      );
    }
    heldParts.push(part);
  }
  return heldParts;
}

/**
 * Maximum number of timelines for computing clocks of any size. With more, at most `MAX_SWEPT` entries are computed,
 * which takes seconds.
 */
const SWEPT_TIMELINES = 4_096;
const MAX_SWEPT = 2e9;

/**
 * Checks that computing clocks does not take too long.
 *
 * @throws {Undecided} if there are too many timelines and receives
 */
function expectSweepable(timelines: number, receives: number): void {
  if (timelines <= SWEPT_TIMELINES || timelines * receives <= MAX_SWEPT) return;
  const n = (count: number) => count.toLocaleString('en');
  throw new Undecided(
    'WHEN',
    `most of the ${n(timelines)} timelines are connected, so ordering ${n(receives)} events takes too long`,
    'match events from fewer timelines, or measure only part of the session',
  );
}
