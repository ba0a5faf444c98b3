import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { type Block, ClockColumns } from './clock-columns.js';
import type { Matches } from './matches.js';
import { MANY_TIMELINES, type SparseClocks, sparseRank } from './sparse-clocks.js';

/** Tables larger than this are not made. */
export const MOST_TABLE_BYTES = 512e6;

/**
 * The clocks of the events of one list over another: what of `a` comes before each event of
 * `b`, and so what of `b` comes after each event of `a`, without a search through the order.
 *
 * A table of segments of b * probes of a; an answer for one probe takes O(log events).
 */
export class RankTable {
  /** For each probe with events of `a` the block that has its column; made when it is asked for. */
  #blockOf: Block[] | undefined;
  #sparse: SparseClocks | undefined;

  constructor(
    readonly session: Session,
    readonly a: Matches,
    readonly b: Matches,
  ) {}

  /** The bytes that a table takes; those of many timelines show only when it is made. */
  static bytes(a: Matches, b: Matches): number {
    const probes = a.start.filter((first, place) => first < (a.start[place + 1] ?? first)).length;
    return probes > MANY_TIMELINES ? 0 : b.segments.receives.length * probes * 4;
  }

  /** The end of the positions of `a` on a probe that come before the event of `b` at a position. */
  endBefore(position: number, probe: number): number {
    const first = at(this.a.start, probe);
    if (this.b.probes[position] === probe) {
      return first + this.a.before(at(this.b.events, position), probe);
    }
    return first + this.#rank(position, probe);
  }

  /** The first position of `b` on a probe that comes after the event of `a` at a position. */
  firstAfter(position: number, probe: number): number {
    const own = at(this.a.probes, position);
    const first = at(this.b.start, probe);
    if (own === probe) return first + this.b.before(at(this.a.events, position) + 1, probe);
    const rank = position - at(this.a.start, own);
    let [low, high] = [first, at(this.b.start, probe + 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rank(middle, own) > rank) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #rank(position: number, probe: number): number {
    const segment = at(this.b.segments.of, position);
    this.#blockOf ??= this.#sweep();
    if (this.#sparse !== undefined) {
      return segment < 0 ? 0 : sparseRank(this.#sparse, segment, probe);
    }
    const block = this.#blockOf[probe];
    if (segment < 0 || block === undefined) return 0;
    return at(block.ranks, segment * block.probes.length + at(block.columnOf, probe));
  }

  #sweep(): Block[] {
    const blockOf: Block[] = [];
    const clocks = new ClockColumns(this.session, this.a, this.b);
    for (const block of clocks.blocks()) {
      if ('rank' in block) {
        this.#sparse = block;
        break;
      }
      for (const probe of block.probes) blockOf[probe] = block;
    }
    return blockOf;
  }
}
