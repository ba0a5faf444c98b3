import type { Block } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import { lowerBound } from '../select/candidates.js';
import type { Keys } from './keys.js';
import type { Parts } from './part-sums.js';

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
  /** What `findParts` found last. */
  readonly parts: Parts;
  /** Whether all events have the same key, so that each probe is a run. */
  readonly #areProbes: boolean;

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
    const most = a.start.length;
    this.parts = { run: new Int32Array(most), end: new Int32Array(most) };
    this.#areProbes = keys.count === 1 && this.positions.length === a.size;
  }

  /**
   * Finds the runs of which a part comes before the event at a position of the later list: those
   * of the block's probes, or without a block that of the event's own probe. They stand in
   * `parts`.
   *
   * O(log events) for each run; O(1) where the runs are all events of their probes.
   *
   * @returns how many there are
   */
  findParts(position: number, block: Block | undefined): number {
    const key = this.#keys.b[position] as number;
    if (key < 0) return 0;
    const own = this.#b.probes[position] as number;
    const first = this.#ofKey[key] as number;
    const last = this.#ofKey[key + 1] as number;
    if (block === undefined) {
      const run = lowerBound(this.probe, own, first, last);
      if (run === last || this.probe[run] !== own) return 0;
      const rank = this.#a.before(this.#b.events[position] as number, own);
      return this.#addPart(0, run, rank);
    }
    const segment = this.#b.segments.of[position] as number;
    if (segment < 0) return 0;
    const row = segment * block.lanes;
    // The lanes' probes ascend as the runs' do.
    const highest = block.probes[block.lanes - 1] as number;
    let run = lowerBound(this.probe, block.probes[0] as number, first, last);
    let count = 0;
    if (this.#areProbes) {
      const { ranks, lanes } = block;
      const { start, parts } = this;
      const ownLane = block.laneOf[own] as number;
      for (let lane = 0; lane < lanes; lane++, run++) {
        const rank = ranks[row + lane] as number;
        if (rank === 0 || lane === ownLane) continue;
        parts.run[count] = run;
        parts.end[count++] = (start[run] as number) + rank;
      }
      return count;
    }
    for (; run < last; run++) {
      const probe = this.probe[run] as number;
      if (probe > highest) break;
      if (probe === own) continue;
      count = this.#addPart(
        count,
        run,
        block.ranks[row + (block.laneOf[probe] as number)] as number,
      );
    }
    return count;
  }

  /** @param rank how many events of the whole list on the run's probe come before */
  #addPart(count: number, run: number, rank: number): number {
    if (rank === 0) return count;
    const from = this.start[run] as number;
    const last = (this.#a.start[this.probe[run] as number] as number) + rank;
    const end = lowerBound(this.positions, last, from, this.start[run + 1] as number);
    if (end === from) return count;
    this.parts.run[count] = run;
    this.parts.end[count] = end;
    return count + 1;
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
