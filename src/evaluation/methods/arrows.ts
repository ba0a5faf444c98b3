import { partitionPoint } from '../../basics/index.js';
import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import { ClockColumns, collectParts, MAX_TABLE_BYTES } from '../order/clock-columns.js';
import { type Block, type ClockPart, rankIn } from '../order/clock-rows.js';
import type { Matches } from '../order/matches.js';
import { CLOCK_LIMITS } from '../order/order-index.js';
import { findFirstAfter, findLastBefore } from '../order/reduce.js';
import { findFirstAtLeast } from '../select/candidates.js';
import type { BindingProblem } from './problem.js';

/** A half-open range of positions for each probe. */
export interface Ranges {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** An arrow `a -> b`, queried for the events at one end that fit an event at the other end. */
interface Arrow {
  /** Returns the end, exclusive, of the positions of `a` on a probe that come before the event of `b` at a position. */
  endBefore(position: number, probe: number): number;
  /** Returns the first position of `b` on a probe that comes after the event of `a` at a position. */
  firstAfter(position: number, probe: number): number;
  /** Cost of each query, in steps of enumeration (default: 0). */
  readonly steps?: number;
}

/** The arrows and concurrency requirements of a query between given lists. */
export class Arrows {
  readonly #lists: readonly Matches[];
  readonly #stepsOfRange: number;
  readonly #tied: ReadonlySet<number>;
  readonly #arrows: readonly { earlier: number; later: number; arrow: Arrow }[];
  readonly #concurrent: readonly { u: number; v: number; uv: Arrow; vu: Arrow }[];

  /** @param strategy `tables` of ranks for many queries, `passes` over the receives for a few */
  constructor({ session, query, lists }: BindingProblem, strategy: 'tables' | 'passes') {
    this.#lists = lists;
    this.#tied = new Set([...query.arrows, ...query.concurrent].flat());
    this.#stepsOfRange = strategy === 'tables' ? session.timelines.probe.length : 0;
    const arrowOf = (earlierLabel: number, laterLabel: number): Arrow => {
      const [a, b] = [lists[earlierLabel] as Matches, lists[laterLabel] as Matches];
      if (strategy === 'passes') return new ArrowPasses(session, a, b);
      if (!canBuildTable(a, b)) throw tableTooLarge(query.labels, earlierLabel, laterLabel);
      return new RankTable(session, a, b);
    };
    this.#arrows = query.arrows.map(([earlierLabel, laterLabel]) => {
      return { earlier: earlierLabel, later: laterLabel, arrow: arrowOf(earlierLabel, laterLabel) };
    });
    this.#concurrent = query.concurrent.map(([u, v]) => {
      return { u, v, uv: arrowOf(u, v), vu: arrowOf(v, u) };
    });
  }

  /**
   * Returns a label's events that satisfy its arrows to bound labels and its concurrency with bound labels, as a range
   * on each probe. O(arrows of the label * probes * log events) with tables.
   *
   * @param bound the position of each label's event, or -1 for an unbound label
   */
  ranges(label: number, bound: Int32Array): Ranges & { readonly steps: number } {
    const { start } = this.#lists[label] as Matches;
    const low = start.slice(0, -1);
    const high = start.slice(1);
    let steps = this.#stepsOfRange;
    for (const { earlier: earlierLabel, later: laterLabel, arrow } of this.#arrows) {
      const otherLabel = earlierLabel === label ? laterLabel : earlierLabel;
      if ((earlierLabel !== label && laterLabel !== label) || at(bound, otherLabel) < 0) continue;
      steps += arrow.steps ?? 0;
      for (let probe = 0; probe < low.length; probe++) {
        if (at(low, probe) >= at(high, probe)) continue;
        if (earlierLabel === label) {
          high[probe] = Math.min(at(high, probe), arrow.endBefore(at(bound, otherLabel), probe));
        } else {
          low[probe] = Math.max(at(low, probe), arrow.firstAfter(at(bound, otherLabel), probe));
        }
      }
    }
    for (const { u, v, uv, vu } of this.#concurrent) {
      const otherLabel = u === label ? v : u;
      const position = at(bound, otherLabel);
      if ((u !== label && v !== label) || position < 0) continue;
      steps += (uv.steps ?? 0) + (vu.steps ?? 0);
      const [forward, backward] = u === label ? [uv, vu] : [vu, uv];
      const ownProbe = (this.#lists[otherLabel] as Matches).probes[position];
      for (let probe = 0; probe < low.length; probe++) {
        if (at(low, probe) >= at(high, probe)) continue;
        const from = forward.endBefore(position, probe);
        // No event is concurrent with another event on its own probe.
        const end = probe === ownProbe ? from : backward.firstAfter(position, probe);
        low[probe] = Math.max(at(low, probe), from);
        high[probe] = Math.min(at(high, probe), end);
      }
    }
    return { low, high, steps };
  }

  /** True if no arrow or concurrency requirement mentions a label. */
  isFree(label: number): boolean {
    return !this.#tied.has(label);
  }

  /** True if the bound events satisfy all arrows and concurrency requirements. O(arrows) with tables. */
  holds(bound: Int32Array): boolean {
    for (const { earlier: earlierLabel, later: laterLabel, arrow } of this.#arrows) {
      if (!this.#isBefore(at(bound, earlierLabel), at(bound, laterLabel), earlierLabel, arrow))
        return false;
    }
    for (const { u, v, uv, vu } of this.#concurrent) {
      const [a, b] = [at(bound, u), at(bound, v)];
      if (this.#isBefore(a, b, u, uv) || this.#isBefore(b, a, v, vu)) return false;
      const [list, otherList] = [this.#lists[u] as Matches, this.#lists[v] as Matches];
      if (list.events[a] === otherList.events[b]) return false;
    }
    return true;
  }

  #isBefore(a: number, b: number, earlierLabel: number, arrow: Arrow): boolean {
    const probe = at((this.#lists[earlierLabel] as Matches).probes, a);
    return arrow.endBefore(b, probe) > a;
  }
}

/** True if a table of ranks may fit in memory. With many timelines, the size is unknown until the table is computed. */
export function canBuildTable(a: Matches, b: Matches): boolean {
  const probes = a.sources.length;
  const maxRows = MAX_TABLE_BYTES / 4 / probes;
  return (
    probes > CLOCK_LIMITS.timelines || b.size <= maxRows || b.segments.receives.length <= maxRows
  );
}

/**
 * A table of the clocks of `b` over `a`. Answers queries in both directions without searching the order.
 *
 * Has segments of b * probes of a entries. A query for one probe takes O(log events).
 */
class RankTable implements Arrow {
  /** Returns the part of the clocks that covers a probe. Set on first use. */
  #partOf: ((probe: number) => ClockPart | undefined) | undefined;

  constructor(
    readonly session: Session,
    readonly a: Matches,
    readonly b: Matches,
  ) {}

  /** Returns the end, exclusive, of the positions of `a` on a probe that come before the event of `b` at a position. */
  endBefore(position: number, probe: number): number {
    const first = at(this.a.start, probe);
    if (this.b.probes[position] === probe) {
      return first + this.a.before(at(this.b.events, position), probe);
    }
    return first + this.#rank(position, probe);
  }

  /** Returns the first position of `b` on a probe that comes after the event of `a` at a position. */
  firstAfter(position: number, probe: number): number {
    const ownProbe = at(this.a.probes, position);
    const first = at(this.b.start, probe);
    if (ownProbe === probe) return first + this.b.before(at(this.a.events, position) + 1, probe);
    const rank = position - at(this.a.start, ownProbe);
    return partitionPoint(
      first,
      at(this.b.start, probe + 1),
      (one) => this.#rank(one, ownProbe) <= rank,
    );
  }

  #rank(position: number, probe: number): number {
    const segment = at(this.b.segments.of, position);
    this.#partOf ??= this.#sweep();
    const part = this.#partOf(probe);
    return segment < 0 || part === undefined ? 0 : rankIn(part, segment, probe);
  }

  #sweep(): (probe: number) => ClockPart | undefined {
    const partOf: Block[] = [];
    for (const part of collectParts(new ClockColumns(this.session, this.a, this.b).blocks())) {
      if ('rank' in part) return () => part;
      for (const probe of part.probes) partOf[probe] = part;
    }
    return (probe) => partOf[probe];
  }
}

/** Approximate number of receives that a pass visits in the time of one step of enumeration. */
const RECEIVES_PER_STEP = 4;

/**
 * An arrow that computes answers by passes over the receives. One pass answers the queries about an event for all
 * probes.
 */
class ArrowPasses implements Arrow {
  readonly steps: number;
  #later = -1;
  #lastBefore: Int32Array = new Int32Array(0);
  #earlier = -1;
  #firstAfter: Int32Array = new Int32Array(0);

  constructor(
    readonly session: Session,
    readonly a: Matches,
    readonly b: Matches,
  ) {
    this.steps = Math.ceil(session.order.receives.length / RECEIVES_PER_STEP);
  }

  endBefore(position: number, probe: number): number {
    if (position !== this.#later) {
      this.#later = position;
      this.#lastBefore = findLastBefore(this.session, this.#single(this.b, position, -1));
    }
    const [first, end] = [at(this.a.start, probe), at(this.a.start, probe + 1)];
    return findFirstAtLeast(this.a.events, at(this.#lastBefore, probe) + 1, first, end);
  }

  firstAfter(position: number, probe: number): number {
    if (position !== this.#earlier) {
      this.#earlier = position;
      const { size } = this.session;
      this.#firstAfter = findFirstAfter(this.session, this.#single(this.a, position, size));
    }
    const [first, end] = [at(this.b.start, probe), at(this.b.start, probe + 1)];
    return findFirstAtLeast(this.b.events, at(this.#firstAfter, probe), first, end);
  }

  #single({ events, probes }: Matches, position: number, absentValue: number): Int32Array {
    const singleStarts = new Int32Array(this.session.timelines.probe.length).fill(absentValue);
    singleStarts[at(probes, position)] = at(events, position);
    return singleStarts;
  }
}

function tableTooLarge(
  labels: readonly string[],
  earlierLabel: number,
  laterLabel: number,
): Undecided {
  const arrow = `${labels[earlierLabel]} -> ${labels[laterLabel]}`;
  return new Undecided(
    arrow,
    `the clocks that order ${labels[laterLabel]} after ${labels[earlierLabel]} need more than 512 MB`,
    `match fewer events with ${labels[laterLabel]}, or events at fewer probes with ${labels[earlierLabel]}`,
  );
}
