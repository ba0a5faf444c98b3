import type { Session } from '../../session/index.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';
import { sweep } from './sweep.js';

/** As many columns as a cache line holds are swept at a time. */
export const LANES = 16;

/** Columns up to this many bytes are kept for the next message over the same list. */
const KEPT_BYTES = 64e6;

/** A block of clock columns. */
export interface Block {
  readonly lanes: number;
  /** For each receive, by its place, and each lane: how many of the list come before or at it. */
  readonly rows: Int32Array;
  /** The probe of each lane. */
  readonly probes: Int32Array;
  /** The lane of each probe, or -1. */
  readonly laneOf: Int32Array;
}

/**
 * The clock columns of a list: for each of its probes and each receive, how many of its events
 * there come before the receive. Nothing is swept before it is asked for.
 */
export class ClockColumns {
  readonly #index: OrderIndex;
  readonly #sources: Int32Array;
  readonly #lanes: number;
  readonly #probes: number;
  readonly #sentRank: Int32Array;
  readonly #kept: Block[] | undefined;

  constructor(session: Session, list: Matches, lanes = LANES) {
    this.#index = indexOf(session.order);
    this.#probes = session.probes.length;
    const sources = [];
    for (let probe = 0; probe < this.#probes; probe++) {
      if ((list.start[probe] as number) < (list.start[probe + 1] as number)) sources.push(probe);
    }
    this.#sources = Int32Array.from(sources);
    this.#lanes = Math.min(lanes, sources.length);
    this.#sentRank = sentRanks(this.#index, list);
    const bytes = this.#index.event.length * sources.length * 4;
    this.#kept = bytes <= KEPT_BYTES ? [] : undefined;
  }

  /** First nothing, for what happens on one probe and needs no clock, then the blocks. */
  *passes(): Generator<Block | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  /** Gives the blocks one after the other; a block is valid until the next. */
  *blocks(): Generator<Block> {
    const kept = this.#kept;
    const size = this.#index.event.length * this.#lanes;
    let rows: Int32Array | undefined;
    for (let first = 0; first < this.#sources.length; first += this.#lanes) {
      const ready = kept?.[first / this.#lanes];
      if (ready !== undefined) {
        yield ready;
        continue;
      }
      if (rows === undefined || kept !== undefined) rows = new Int32Array(size);
      const probes = this.#sources.subarray(first, first + this.#lanes);
      const laneOf = new Int32Array(this.#probes).fill(-1);
      for (let lane = 0; lane < probes.length; lane++) laneOf[probes[lane] as number] = lane;
      sweep(this.#index, rows, this.#lanes, laneOf, this.#sentRank);
      const block = { lanes: this.#lanes, rows, probes, laneOf };
      kept?.push(block);
      yield block;
    }
  }
}

/** For each edge how many events of the list its sender's probe has up to it. O(edges + events). */
function sentRanks({ sender, senderProbe, bySender }: OrderIndex, list: Matches): Int32Array {
  const ranks = new Int32Array(sender.length);
  const { events, start } = list;
  let at = 0;
  for (let place = 0; place < bySender.length; place++) {
    const edge = bySender[place] as number;
    const sent = sender[edge] as number;
    while (at < events.length && (events[at] as number) <= sent) at++;
    ranks[edge] = Math.max(0, at - (start[senderProbe[edge] as number] as number));
  }
  return ranks;
}
