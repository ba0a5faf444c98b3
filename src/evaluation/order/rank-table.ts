import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import { type Block, ClockColumns, type SparseClocks, sparseRank } from './clock-columns.js';
import type { Matches } from './matches.js';
import { CLOCK_LIMITS } from './order-index.js';

/** Tables larger than this are not made. */
export const MOST_TABLE_BYTES = 512e6;

/**
 * The clocks of the events of one list over another: which events of `a` come before each event of
 * `b`, and so which of `b` come after each event of `a`, without a search through the order.
 *
 * A table of segments of b * probes of a; an answer for one probe takes O(log events).
 */
export class RankTable {
  /** For each probe with events of `a`, the block that has its column; made when it is asked for. */
  #blockOf: Block[] | undefined;
  #sparse: SparseClocks | undefined;

  constructor(
    readonly session: Session,
    readonly a: Matches,
    readonly b: Matches,
  ) {}

  /** Whether a table may be made. With many timelines, that shows only when it is made. */
  static fits(a: Matches, b: Matches): boolean {
    const probes = a.sources.length;
    const most = MOST_TABLE_BYTES / 4 / probes;
    return probes > CLOCK_LIMITS.timelines || b.size <= most || b.segments.receives.length <= most;
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
    for (const block of new ClockColumns(this.session, this.a, this.b).blocks()) {
      if ('rank' in block) {
        this.#sparse = block;
        break;
      }
      if (this.b.segments.receives.length * this.a.sources.length * 4 > MOST_TABLE_BYTES) {
        throw new Undecided(
          'WHEN',
          'the clocks of the timelines, most of which are connected, take more than 512 MB',
          'match fewer events, or events of fewer timelines',
        );
      }
      for (const probe of block.probes) blockOf[probe] = block;
    }
    return blockOf;
  }
}
