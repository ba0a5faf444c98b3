import type { Session } from '../../session/index.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';
import {
  bitsFor,
  giveLanes,
  type LaneBits,
  lanesInRow,
  type Ranks,
  sweep,
  unpackRows,
} from './sweep.js';

/** Columns up to this many bytes are kept for the next message between the same lists. */
const KEPT_BYTES = 64e6;

/** Some columns of the clocks of one list over another. */
export interface Block {
  readonly lanes: number;
  /** For each segment of the later list and each lane: how many of the earlier list come before. */
  readonly ranks: Ranks;
  /** The probe of each lane, ascending. */
  readonly probes: Int32Array;
  /** The lane of each probe, or -1. */
  readonly laneOf: Int32Array;
}

/** What tests set, to meet with few events what else takes many. */
export interface LaneLimits {
  /** How many columns are swept at a time, at most. */
  readonly lanes?: number | undefined;
  /** How many bits a lane has: enough for the largest rank. */
  readonly bits?: LaneBits | undefined;
}

/**
 * The clocks of the events of `b` over those of `a`: on each probe of `a`, how many of its
 * events come before. Nothing is swept before it is asked for.
 *
 * O((receives + edges) * probes of a / lanes); a sweep has 8 to 32 lanes, as the ranks are large.
 */
export class ClockColumns {
  readonly #index: OrderIndex;
  readonly #b: Matches;
  readonly #sources: Int32Array;
  readonly #lanes: number;
  readonly #bits: LaneBits;
  readonly #probes: number;
  readonly #sentRank: Int32Array;
  readonly #kept: Block[] | undefined;

  constructor(session: Session, a: Matches, b: Matches, limits: LaneLimits = {}) {
    this.#index = indexOf(session.order);
    this.#b = b;
    this.#probes = session.probes.length;
    const sources = [];
    let most = 0;
    for (let probe = 0; probe < this.#probes; probe++) {
      const size = (a.start[probe + 1] as number) - (a.start[probe] as number);
      if (size > 0) sources.push(probe);
      if (size > most) most = size;
    }
    this.#sources = Int32Array.from(sources);
    this.#bits = limits.bits ?? bitsFor(most);
    this.#lanes = Math.min(limits.lanes ?? sources.length, lanesInRow(this.#bits), sources.length);
    this.#sentRank = sentRanks(this.#index, a);
    const bytes = b.segments.receives.length * sources.length * 4;
    this.#kept = bytes <= KEPT_BYTES ? [] : undefined;
  }

  /** First nothing, for what happens on one probe and needs no clock, then the blocks. */
  *passes(): Generator<Block | undefined> {
    yield undefined;
    yield* this.blocks();
  }

  /** Gives the blocks one after the other. */
  *blocks(): Generator<Block> {
    for (let first = 0; first < this.#sources.length; first += this.#lanes) {
      let block = this.#kept?.[first / this.#lanes];
      if (block === undefined) {
        block = this.#sweep(this.#sources.subarray(first, first + this.#lanes));
        this.#kept?.push(block);
      }
      yield block;
    }
  }

  #sweep(probes: Int32Array): Block {
    const lanes = probes.length;
    const laneOf = new Int32Array(this.#probes).fill(-1);
    for (let lane = 0; lane < lanes; lane++) laneOf[probes[lane] as number] = lane;
    const at = giveLanes(probes, this.#probes, this.#bits);
    sweep(this.#index, this.#bits, at, this.#sentRank);
    const { receives } = this.#b.segments;
    const ranks = unpackRows(this.#index.rows, receives, this.#bits, lanes);
    return { lanes, ranks, probes, laneOf };
  }
}

/** For each edge how many events of the list its sender's probe has up to it. O(edges + events). */
function sentRanks({ bySender, sorted, sortedProbe }: OrderIndex, list: Matches): Int32Array {
  const ranks = new Int32Array(sorted.length);
  const { events, start } = list;
  let at = 0;
  for (let place = 0; place < bySender.length; place++) {
    const sent = sorted[place] as number;
    while (at < events.length && (events[at] as number) <= sent) at++;
    const first = start[sortedProbe[place] as number] as number;
    if (at > first) ranks[bySender[place] as number] = at - first;
  }
  return ranks;
}
