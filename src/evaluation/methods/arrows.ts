import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { type Block, ClockColumns } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import { firstAfter, lastBefore } from '../order/reduce.js';
import { firstAtLeast } from '../select/candidates.js';
import { type BindingProblem, Undecided } from './problem.js';

/** Tables larger than this are not made. */
const MOST_BYTES = 512e6;

/** For each probe the positions from `low` to before `high`. */
export interface Ranges {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** What of one end of an arrow, `a -> b`, goes with an event of the other. */
interface Arrow {
  /** The end of the positions of `a` on a probe that come before the event of `b` at a position. */
  endBefore(position: number, probe: number): number;
  /** The first position of `b` on a probe that comes after the event of `a` at a position. */
  firstAfter(position: number, probe: number): number;
  /** How many steps of enumeration it takes as long as, for each event that is asked about. */
  readonly steps: number;
}

/** The arrows of a query between given lists. */
export class Arrows {
  readonly #lists: readonly Matches[];
  readonly #stepsOfRange: number;
  readonly #arrows: readonly { earlier: number; later: number; arrow: Arrow }[];

  /** @param how by tables of ranks, for many questions, or by passes over the receives, for a few */
  constructor({ session, query, lists }: BindingProblem, how: 'tables' | 'passes') {
    this.#lists = lists;
    this.#stepsOfRange = how === 'tables' ? session.probes.length : 0;
    this.#arrows = query.arrows.map(([earlier, later]) => {
      const [a, b] = [lists[earlier] as Matches, lists[later] as Matches];
      if (how === 'passes') return { earlier, later, arrow: new ArrowPasses(session, a, b) };
      if (RankTable.bytes(a, b) > MOST_BYTES) throw tooLarge(query.labels, earlier, later);
      return { earlier, later, arrow: new RankTable(session, a, b) };
    });
  }

  /**
   * The events of a label that the arrows to bound labels leave, as a range on each probe.
   * O(arrows of the label * probes * log events) by tables.
   *
   * @param bound for each label the position of its event, or -1
   */
  ranges(label: number, bound: Int32Array): Ranges & { readonly steps: number } {
    const { start } = this.#lists[label] as Matches;
    const low = start.slice(0, -1);
    const high = start.slice(1);
    let steps = this.#stepsOfRange;
    for (const { earlier, later, arrow } of this.#arrows) {
      const other = earlier === label ? later : earlier;
      if ((earlier !== label && later !== label) || at(bound, other) < 0) continue;
      steps += arrow.steps;
      for (let probe = 0; probe < low.length; probe++) {
        if (at(low, probe) >= at(high, probe)) continue;
        if (earlier === label) {
          high[probe] = Math.min(at(high, probe), arrow.endBefore(at(bound, other), probe));
        } else {
          low[probe] = Math.max(at(low, probe), arrow.firstAfter(at(bound, other), probe));
        }
      }
    }
    return { low, high, steps };
  }
}

/** A pass over the receives takes about as long as to try an event for each so many of them. */
const RECEIVES_PER_STEP = 4;

/** Asks the receives about one event at a time, which a pass over them answers for all probes. */
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
      this.#lastBefore = lastBefore(this.session, this.#single(this.b, position, -1));
    }
    const [first, end] = [at(this.a.start, probe), at(this.a.start, probe + 1)];
    return firstAtLeast(this.a.events, at(this.#lastBefore, probe) + 1, first, end);
  }

  firstAfter(position: number, probe: number): number {
    if (position !== this.#earlier) {
      this.#earlier = position;
      const { size } = this.session;
      this.#firstAfter = firstAfter(this.session, this.#single(this.a, position, size));
    }
    const [first, end] = [at(this.b.start, probe), at(this.b.start, probe + 1)];
    return firstAtLeast(this.b.events, at(this.#firstAfter, probe), first, end);
  }

  #single({ events, probes }: Matches, position: number, none: number): Int32Array {
    const only = new Int32Array(this.session.probes.length).fill(none);
    only[at(probes, position)] = at(events, position);
    return only;
  }
}

/**
 * The clocks of the events of one list over another: what of `a` comes before each event of
 * `b`, and so what of `b` comes after each event of `a`, without a search through the order.
 *
 * A table of segments of b * probes of a; an answer for one probe takes O(log events).
 */
class RankTable implements Arrow {
  readonly steps = 0;
  /** For each probe with events of `a` the block that has its column. */
  readonly #blockOf: Block[] = [];

  constructor(
    session: Session,
    readonly a: Matches,
    readonly b: Matches,
  ) {
    for (const block of new ClockColumns(session, a, b).blocks()) {
      for (const probe of block.probes) this.#blockOf[probe] = block;
    }
  }

  /** The bytes that a table takes. */
  static bytes(a: Matches, b: Matches): number {
    const probes = a.start.filter((first, place) => first < (a.start[place + 1] ?? first)).length;
    return b.segments.receives.length * probes * 4;
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
    const block = this.#blockOf[probe];
    if (segment < 0 || block === undefined) return 0;
    return at(block.ranks, segment * block.probes.length + at(block.columnOf, probe));
  }
}

function tooLarge(labels: readonly string[], earlier: number, later: number): Undecided {
  const arrow = `${labels[earlier]} -> ${labels[later]}`;
  return new Undecided(
    arrow,
    `the clocks of ${labels[later]} over ${labels[earlier]} take more than 512 MB`,
    `match fewer events as ${labels[later]}, or events at fewer probes as ${labels[earlier]}`,
  );
}
