import type { Matches } from '../order/matches.js';
import { RankTable } from '../order/rank-table.js';
import { type Problem, Undecided } from './problem.js';

/** Tables larger than this are not made. */
const MOST_BYTES = 512e6;

/** For each probe the positions from `low` to before `high`. */
export interface Ranges {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** The arrows of a query between given lists, as tables of ranks. */
export class ArrowTables {
  readonly #lists: readonly Matches[];
  readonly #tables: readonly { earlier: number; later: number; table: RankTable }[];

  constructor({ session, query, lists, limits }: Problem) {
    this.#lists = lists;
    this.#tables = query.arrows.map(([earlier, later]) => {
      const [a, b] = [lists[earlier] as Matches, lists[later] as Matches];
      if (RankTable.bytes(a, b) > MOST_BYTES) throw tooLarge(query.labels, earlier, later);
      return { earlier, later, table: new RankTable(session, a, b, limits.clocks) };
    });
  }

  /**
   * The events of a label that the arrows to bound labels leave, as a range on each probe.
   * O(arrows of the label * probes * log events).
   *
   * @param bound for each label the position of its event, or -1
   */
  ranges(label: number, bound: Int32Array): Ranges {
    const { start } = this.#lists[label] as Matches;
    const low = start.slice(0, -1);
    const high = start.slice(1);
    for (const { earlier, later, table } of this.#tables) {
      if (earlier === label && (bound[later] as number) >= 0) {
        for (let probe = 0; probe < high.length; probe++) {
          if ((low[probe] as number) >= (high[probe] as number)) continue;
          const end = table.endBefore(bound[later] as number, probe);
          if (end < (high[probe] as number)) high[probe] = end;
        }
      } else if (later === label && (bound[earlier] as number) >= 0) {
        for (let probe = 0; probe < low.length; probe++) {
          if ((low[probe] as number) >= (high[probe] as number)) continue;
          const first = table.firstAfter(bound[earlier] as number, probe);
          if (first > (low[probe] as number)) low[probe] = first;
        }
      }
    }
    return { low, high };
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
