import { at } from '../../source/index.js';
import type { Clocks } from '../order/clock-columns.js';
import { type ClockPart, entriesIn, rankIn } from '../order/clock-rows.js';
import type { Matches } from '../order/matches.js';
import { findFirstAtLeast, sortByRank } from '../select/candidates.js';
import type { Keys } from './value-ranks.js';

/**
 * The events of an arrow's earlier list, grouped into runs. A run holds the events with one key on one probe, in order.
 * The events before an event of the later list are a prefix of each run with the same key.
 */
export class KeyRuns {
  readonly #a: Matches;
  readonly #b: Matches;
  readonly #keys: Keys;
  readonly #clocks: Clocks;
  /** Positions in the earlier list, run by run. */
  readonly positions: Int32Array;
  /** The first index of each run in `positions`, and finally the number of positions. */
  readonly start: Int32Array;
  /** The probe of each run, in ascending order within a key. */
  readonly probe: Int32Array;
  /** The first run of each key, and finally the number of runs. */
  readonly #ofKey: Int32Array;
  /** The run of each index in `positions`. */
  readonly runOf: Int32Array;
  /** The index in `positions` of each position, or -1 for an event without a key. */
  readonly positionOf: Int32Array;
  /** The exclusive ends, in `positions`, of the parts found by the last call of `findParts`. */
  readonly ends: Int32Array;
  /** True if all events have the same key, so the clocks suffice. */
  readonly #areProbes: boolean;
  /** True if each event of the later list shares its key only with events on its own probe. */
  readonly #isLocal: boolean;

  constructor(a: Matches, b: Matches, keys: Keys, clocks: Clocks) {
    this.#clocks = clocks;
    this.#a = a;
    this.#b = b;
    this.#keys = keys;
    this.positions = sortByRank(keys.a, keys.count);
    this.runOf = new Int32Array(this.positions.length);
    this.positionOf = new Int32Array(a.size).fill(-1);
    this.#ofKey = new Int32Array(keys.count + 1);
    const start: number[] = [];
    const probes: number[] = [];
    let lastKey = -1;
    this.positions.forEach((position, index) => {
      const key = at(keys.a, position);
      const probe = at(a.probes, position);
      if (key !== lastKey || probe !== probes.at(-1)) {
        start.push(index);
        probes.push(probe);
        this.#ofKey[key + 1] = probes.length;
      }
      lastKey = key;
      this.runOf[index] = probes.length - 1;
      this.positionOf[position] = index;
    });
    for (let key = 0; key < keys.count; key++) {
      const end = at(this.#ofKey, key + 1);
      if (end === 0) this.#ofKey[key + 1] = at(this.#ofKey, key);
    }
    this.start = Int32Array.from([...start, this.positions.length]);
    this.probe = Int32Array.from(probes);
    this.ends = new Int32Array(a.start.length);
    this.#isLocal = keys.b.every((key, position) => {
      const first = key < 0 ? 0 : at(this.#ofKey, key);
      const count = key < 0 ? 0 : at(this.#ofKey, key + 1) - first;
      return count === 0 || (count === 1 && this.probe[first] === b.probes[position]);
    });
    this.#areProbes = keys.count === 1 && this.positions.length === a.size;
  }

  /** Returns the passes required to find all parts. */
  passes(): Iterable<ClockPart | undefined> {
    return this.#isLocal && !this.#clocks.hasOwn ? [undefined] : this.#clocks.passes();
  }

  /**
   * Finds the parts of runs that come before an event of the later list. Considers the runs on the block's probes or,
   * without a block, the run on the event's own probe. Stores the parts' ends in `ends`.
   *
   * O(log events) for each run.
   *
   * @param position the event's position in the later list
   * @returns the number of parts
   */
  findParts(position: number, block: ClockPart | undefined): number {
    const key = at(this.#keys.b, position);
    if (key < 0) return 0;
    const first = at(this.#ofKey, key);
    const last = at(this.#ofKey, key + 1);
    if (block === undefined) {
      const ownProbe = at(this.#b.probes, position);
      const run = findFirstAtLeast(this.probe, ownProbe, first, last);
      if (run === last || this.probe[run] !== ownProbe) return 0;
      const rank = this.#a.before(at(this.#b.events, position), ownProbe);
      return this.#addPart(0, run, rank);
    }
    const row = at(this.#clocks.rowOf, position);
    if (row < 0) return 0;
    const { ranks, from, to, timelines, shift } = entriesIn(block, row);
    let count = 0;
    if (this.#areProbes) {
      for (let entry = from; entry < to; entry++) {
        const rank = at(ranks, entry);
        if (rank === 0) continue;
        this.ends[count++] = at(this.#a.start, at(timelines, entry - shift)) + rank;
      }
      return count;
    }
    // Iterate over the key's runs or the clock's entries, whichever are fewer.
    if (last - first < to - from) {
      for (let run = first; run < last; run++) {
        count = this.#addPart(count, run, rankIn(block, row, at(this.probe, run)));
      }
      return count;
    }
    for (let entry = from, run = first; entry < to; entry++) {
      const timeline = at(timelines, entry - shift);
      run = findFirstAtLeast(this.probe, timeline, run, last);
      if (run === last) break;
      if (this.probe[run] === timeline) count = this.#addPart(count, run, at(ranks, entry));
    }
    return count;
  }

  /**
   * Adds the part of a run before an event, unless the part is empty. Returns the new number of parts.
   *
   * @param rank the number of preceding events of the entire list on the run's probe
   */
  #addPart(count: number, run: number, rank: number): number {
    if (rank === 0) return count;
    const from = at(this.start, run);
    const last = at(this.#a.start, at(this.probe, run)) + rank;
    const end = findFirstAtLeast(this.positions, last, from, at(this.start, run + 1));
    if (end === from) return count;
    this.ends[count] = end;
    return count + 1;
  }
}
