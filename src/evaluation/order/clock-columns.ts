import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';

/** Blocks up to this many bytes together are kept for the next pass between the same lists. */
const KEPT_BYTES = 64e6;

/** Some columns of the clocks of one list over another. */
export interface Block {
  /** The probe of each column, ascending. */
  readonly probes: Int32Array;
  /** The column of each probe, or -1. */
  readonly columnOf: Int32Array;
  /** For each segment of the later list and each column: how many of the earlier list come before. */
  readonly ranks: Int32Array;
}

/**
 * The clocks of the events of `b` over those of `a`: on each probe of `a`, how many of its
 * events come before. Nothing is swept before it is asked for.
 *
 * O((receives + edges) * probes of a).
 */
export class ClockColumns {
  readonly #index: OrderIndex;
  readonly #b: Matches;
  readonly #sources: Int32Array;
  readonly #probes: number;
  readonly #sentRank: Int32Array;
  readonly #kept: Block[] | undefined;

  constructor(session: Session, a: Matches, b: Matches) {
    this.#index = indexOf(session.order);
    this.#b = b;
    this.#probes = session.probes.length;
    const sources = Array.from({ length: this.#probes }, (_, probe) => probe);
    this.#sources = Int32Array.from(
      sources.filter((probe) => at(a.start, probe) < at(a.start, probe + 1)),
    );
    this.#sentRank = sentRanks(this.#index, a);
    const bytes = b.segments.receives.length * this.#sources.length * 4;
    this.#kept = bytes <= KEPT_BYTES ? [] : undefined;
  }

  /** First nothing, for what happens on one probe and needs no clock, then the blocks. */
  *passes(): Generator<Block | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  /** Gives the blocks one after the other. */
  *blocks(): Generator<Block> {
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
    const width = probes.length;
    sweep(this.#index, width, columnOf, this.#sentRank);
    const { rows, columns } = this.#index;
    const { receives } = this.#b.segments;
    const ranks = new Int32Array(receives.length * width);
    receives.forEach((receive, segment) => {
      const row = (receive + 1) * columns;
      for (let column = 0; column < width; column++) {
        ranks[segment * width + column] = at(rows, row + column);
      }
    });
    return { probes, columnOf, ranks };
  }
}

/**
 * Fills the rows of the index, one a receive: how many events of a list, on the probe of each
 * column, come before the receive or are it. A receive knows what the one before it on its probe
 * knew, and what its senders knew; row 0 belongs to no receive and holds zeros.
 */
function sweep(index: OrderIndex, width: number, columnOf: Int32Array, ranks: Int32Array): void {
  const { previousRow, edgeStart, senderProbe, senderRow, columns, rows } = index;
  for (let receive = 0; receive < previousRow.length; receive++) {
    const row = (receive + 1) * columns;
    const first = at(edgeStart, receive);
    const previous = at(previousRow, receive) * columns;
    const sender = at(senderRow, first) * columns;
    for (let column = 0; column < width; column++) {
      const own = at(rows, previous + column);
      const sent = at(rows, sender + column);
      rows[row + column] = sent > own ? sent : own;
    }
    const end = at(edgeStart, receive + 1);
    for (let edge = first; edge < end; edge++) {
      const other = at(senderRow, edge) * columns;
      for (let column = 0; edge > first && column < width; column++) {
        const rank = at(rows, other + column);
        if (rank > at(rows, row + column)) rows[row + column] = rank;
      }
      const own = at(columnOf, at(senderProbe, edge));
      if (own >= 0 && at(ranks, edge) > at(rows, row + own)) rows[row + own] = at(ranks, edge);
    }
  }
}

/** For each edge how many events of the list its sender's probe has up to it. O(edges + events). */
function sentRanks({ bySender, sorted, sortedProbe }: OrderIndex, list: Matches): Int32Array {
  const ranks = new Int32Array(sorted.length);
  const { events, start } = list;
  let next = 0;
  for (let place = 0; place < bySender.length; place++) {
    while (next < events.length && at(events, next) <= at(sorted, place)) next++;
    const first = at(start, at(sortedProbe, place));
    if (next > first) ranks[at(bySender, place)] = next - first;
  }
  return ranks;
}
