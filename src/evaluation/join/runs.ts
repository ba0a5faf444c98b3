import type { Block } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import { lowerBound } from '../select/candidates.js';
import type { Keys } from './keys.js';

/**
 * The events of the earlier list of an arrow in runs: those of one key on one probe, in their
 * order. What comes before an event of the later list is the beginning of each run of its key.
 */
export class Runs {
  readonly #a: Matches;
  readonly #b: Matches;
  readonly #keys: Keys;
  /** The positions of the earlier list, run by run. */
  readonly positions: Int32Array;
  /** For each run its first place in `positions`; one more entry at the end. */
  readonly start: Int32Array;
  /** The probe of each run; those of a key ascend. */
  readonly probe: Int32Array;
  /** For each key its first run; one more entry at the end. */
  readonly #ofKey: Int32Array;
  /** For each place in `positions` its run. */
  readonly runOf: Int32Array;
  /** For each position its place, or -1. */
  readonly placeOf: Int32Array;

  constructor(a: Matches, b: Matches, keys: Keys) {
    this.#a = a;
    this.#b = b;
    this.#keys = keys;
    this.positions = sortByKey(keys.a, keys.count);
    this.runOf = new Int32Array(this.positions.length);
    this.placeOf = new Int32Array(a.size).fill(-1);
    this.#ofKey = new Int32Array(keys.count + 1);
    const start: number[] = [];
    const probes: number[] = [];
    let known = -1;
    this.positions.forEach((position, place) => {
      const key = keys.a[position] as number;
      const probe = a.probes[position] as number;
      if (key !== known || probe !== probes.at(-1)) {
        start.push(place);
        probes.push(probe);
        this.#ofKey[key + 1] = probes.length;
      }
      known = key;
      this.runOf[place] = probes.length - 1;
      this.placeOf[position] = place;
    });
    for (let key = 0; key < keys.count; key++) {
      const end = this.#ofKey[key + 1] as number;
      if (end === 0) this.#ofKey[key + 1] = this.#ofKey[key] as number;
    }
    this.start = Int32Array.from([...start, this.positions.length]);
    this.probe = Int32Array.from(probes);
  }

  /**
   * Visits the runs of which a part comes before the event at a position of the later list,
   * with the place where that part ends: those of the block's probes, or without a block that
   * of the event's own probe.
   *
   * O(log events) for each run.
   */
  forEachPart(
    position: number,
    block: Block | undefined,
    visit: (run: number, end: number) => void,
  ): void {
    const key = this.#keys.b[position] as number;
    if (key < 0) return;
    const own = this.#b.probes[position] as number;
    const first = this.#ofKey[key] as number;
    const last = this.#ofKey[key + 1] as number;
    if (block === undefined) {
      const run = lowerBound(this.probe, own, first, last);
      if (run === last || this.probe[run] !== own) return;
      this.#visitPart(run, this.#a.before(this.#b.events[position] as number, own), visit);
      return;
    }
    const segment = this.#b.segments.of[position] as number;
    if (segment < 0) return;
    const row = segment * block.lanes;
    // The lanes' probes ascend as the runs' do.
    const highest = block.probes.at(-1) as number;
    const lowest = block.probes[0] as number;
    for (let run = lowerBound(this.probe, lowest, first, last); run < last; run++) {
      const probe = this.probe[run] as number;
      if (probe > highest) break;
      if (probe === own) continue;
      this.#visitPart(run, block.ranks[row + (block.laneOf[probe] as number)] as number, visit);
    }
  }

  /** @param rank how many events of the whole list on the run's probe come before */
  #visitPart(run: number, rank: number, visit: (run: number, end: number) => void): void {
    if (rank === 0) return;
    const probe = this.probe[run] as number;
    const from = this.start[run] as number;
    const to = this.start[run + 1] as number;
    const first = this.#a.start[probe] as number;
    const isWhole = to - from === (this.#a.start[probe + 1] as number) - first;
    const end = isWhole ? from + rank : lowerBound(this.positions, first + rank, from, to);
    if (end > from) visit(run, end);
  }
}

/** The positions that have a key, by key: a counting sort. */
function sortByKey(keys: Int32Array, count: number): Int32Array {
  const next = new Int32Array(count + 1);
  for (const key of keys) if (key >= 0) next[key + 1] = (next[key + 1] as number) + 1;
  for (let key = 0; key < count; key++) {
    next[key + 1] = (next[key + 1] as number) + (next[key] as number);
  }
  const sorted = new Int32Array(next[count] as number);
  keys.forEach((key, position) => {
    if (key < 0) return;
    sorted[next[key] as number] = position;
    next[key] = (next[key] as number) + 1;
  });
  return sorted;
}
