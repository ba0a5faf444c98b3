import type { Session } from '../../session/index.js';
import { ClockColumns, type LaneLimits } from './clock-columns.js';
import type { Matches } from './matches.js';

/**
 * The clocks of the events of one list over another: what of `a` comes before each event of
 * `b`, and so what of `b` comes after each event of `a`, without a search through the order.
 *
 * A table of segments of b * probes of a; an answer for one probe takes O(log events).
 */
export class RankTable {
  readonly #ranks: Int32Array;
  readonly #width: number;
  /** For each probe its column, or -1. */
  readonly #columnOf: Int32Array;

  constructor(
    session: Session,
    readonly a: Matches,
    readonly b: Matches,
    limits?: LaneLimits,
  ) {
    this.#columnOf = new Int32Array(session.probes.length).fill(-1);
    let width = 0;
    for (let probe = 0; probe < this.#columnOf.length; probe++) {
      if ((a.start[probe] as number) < (a.start[probe + 1] as number))
        this.#columnOf[probe] = width++;
    }
    this.#width = width;
    const { receives } = b.segments;
    this.#ranks = new Int32Array(receives.length * width);
    for (const block of new ClockColumns(session, a, b, limits).blocks()) {
      for (let lane = 0; lane < block.probes.length; lane++) {
        const column = this.#columnOf[block.probes[lane] as number] as number;
        for (let segment = 0; segment < receives.length; segment++) {
          this.#ranks[segment * width + column] = block.ranks[
            segment * block.lanes + lane
          ] as number;
        }
      }
    }
  }

  /** The bytes that a table takes. */
  static bytes(a: Matches, b: Matches): number {
    const probes = a.start.filter((first, at) => first < (a.start[at + 1] ?? first)).length;
    return b.segments.receives.length * probes * 4;
  }

  /** The end of the positions of `a` on a probe that come before the event of `b` at a position. */
  endBefore(position: number, probe: number): number {
    const first = this.a.start[probe] as number;
    if (this.b.probes[position] === probe) {
      return first + this.a.before(this.b.events[position] as number, probe);
    }
    return first + this.#rank(position, probe);
  }

  /** The first position of `b` on a probe that comes after the event of `a` at a position. */
  firstAfter(position: number, probe: number): number {
    const own = this.a.probes[position] as number;
    const first = this.b.start[probe] as number;
    if (own === probe) return first + this.b.before((this.a.events[position] as number) + 1, probe);
    const rank = position - (this.a.start[own] as number);
    let [low, high] = [first, this.b.start[probe + 1] as number];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rank(middle, own) > rank) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #rank(position: number, probe: number): number {
    const segment = this.b.segments.of[position] as number;
    const column = this.#columnOf[probe] as number;
    return segment < 0 || column < 0 ? 0 : (this.#ranks[segment * this.#width + column] as number);
  }
}
