import { at } from '../../source/index.js';
import type { ClockColumns } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { KeyRuns, RunParts } from './key-runs.js';
import { takeTurns, type ValueRanks } from './value-ranks.js';
import type { Direction, Monoid, Weights } from './weights.js';

/** Two lists, ordered, with the runs of the earlier one. */
interface OrderedPair {
  readonly a: Matches;
  readonly b: Matches;
  readonly clocks: ClockColumns;
  readonly runs: KeyRuns;
}

/*
 * Weights along an arrow between events that agree in their keys: as along a plain arrow, but
 * with sums within the runs.
 *
 * O(log events) for each event of b and each run of its key, besides the sweep.
 */

/** For each event of `b` the weights of the events of `a` of its key before it. */
export function propagateToLaterOfKey<T>(
  { b, clocks, runs }: OrderedPair,
  weights: Weights<T>,
  { add, list }: Monoid<T>,
): Weights<T> {
  const sums = list(runs.positions.length);
  runs.positions.forEach((position, place) => {
    const weight = weights[position] as T;
    const isFirst = at(runs.start, at(runs.runOf, place)) === place;
    sums[place] = isFirst ? weight : add(sums[place - 1] as T, weight);
  });
  const result = list(b.size);
  const { end } = runs.parts;
  for (const block of clocks.passes()) {
    for (let event = 0; event < b.size; event++) {
      const count = runs.findParts(event, block);
      let sum = result[event] as T;
      for (let part = 0; part < count; part++) sum = add(sum, sums[at(end, part) - 1] as T);
      result[event] = sum;
    }
  }
  return result;
}

/** For each event of `a` the weights of the events of `b` of its key after it. */
export function propagateToEarlierOfKey<T>(
  { a, b, clocks, runs }: OrderedPair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const steps = list(runs.positions.length);
  const { end } = runs.parts;
  for (const block of clocks.passes()) {
    for (let event = 0; event < b.size; event++) {
      const count = runs.findParts(event, block);
      for (let part = 0; part < count; part++) {
        const last = at(end, part) - 1;
        steps[last] = add(steps[last] as T, weights[event] as T);
      }
    }
  }
  const result = list(a.size);
  let sum = zero;
  for (let place = steps.length - 1; place >= 0; place--) {
    const isLast = at(runs.start, at(runs.runOf, place) + 1) === place + 1;
    sum = isLast ? (steps[place] as T) : add(sum, steps[place] as T);
    result[at(runs.positions, place)] = sum;
  }
  return result;
}

/**
 * Along an arrow between events of one key whose values compare so: by value, with sums over
 * each run for the order of time.
 *
 * O(log events) for each event of b and each run of its key, besides the sweep.
 */
export function propagateByValue<T>(
  { a, b, clocks, runs }: OrderedPair,
  ranks: ValueRanks,
  weights: Weights<T>,
  direction: Direction,
  monoid: Monoid<T>,
): Weights<T> {
  const toB = direction === 'to b';
  const result = monoid.list(toB ? b.size : a.size);
  const { runOf, placeOf, probe, parts } = runs;
  for (const block of clocks.passes()) {
    const sums = new RunSums(runs.start, toB, monoid);

    /** Finds the part of its run that an event of `a` ends: what is before it, and itself. */
    const findOwn = (position: number): number => {
      const place = at(placeOf, position);
      const run = at(runOf, place);
      parts.run[0] = run;
      parts.end[0] = place + 1;
      // Without a block, the pass is over pairs on one probe, which all runs may be in.
      return block === undefined || at(block.columnOf, at(probe, run)) >= 0 ? 1 : 0;
    };
    takeTurns(ranks, direction, {
      send(sender) {
        const count = toB ? findOwn(sender) : runs.findParts(sender, block);
        sums.add(parts, count, weights[sender] as T);
      },
      receive(receiver) {
        const count = toB ? runs.findParts(receiver, block) : findOwn(receiver);
        result[receiver] = monoid.add(result[receiver] as T, sums.sum(parts, count));
      },
    });
  }
  return result;
}

/**
 * Weights that are added at the ends of parts of runs, and sums of those that reach such ends: a
 * Fenwick tree for each run. O(log events) for each part.
 */
class RunSums<T> {
  readonly #tree: Weights<T>;
  readonly #start: Int32Array;
  readonly #isForward: boolean;
  readonly #monoid: Monoid<T>;

  /**
   * @param start for each run its first place; one more entry at the end
   * @param isForward whether a weight reaches the ends in its run from its own on, or those up to it
   */
  constructor(start: Int32Array, isForward: boolean, monoid: Monoid<T>) {
    this.#tree = monoid.list(start.at(-1) ?? 0);
    this.#start = start;
    this.#isForward = isForward;
    this.#monoid = monoid;
  }

  /** Adds a weight at the ends of the first `count` parts. */
  add({ run, end }: RunParts, count: number, weight: T): void {
    const tree = this.#tree;
    for (let part = 0; part < count; part++) {
      const base = at(this.#start, at(run, part));
      const size = at(this.#start, at(run, part) + 1) - base;
      for (let i = this.#index(base, size, at(end, part)); i <= size; i += i & -i) {
        tree[base + i - 1] = this.#monoid.add(tree[base + i - 1] as T, weight);
      }
    }
  }

  /** What has reached the ends of the first `count` parts, put together. */
  sum({ run, end }: RunParts, count: number): T {
    let sum = this.#monoid.zero;
    for (let part = 0; part < count; part++) {
      const base = at(this.#start, at(run, part));
      const size = at(this.#start, at(run, part) + 1) - base;
      for (let i = this.#index(base, size, at(end, part)); i > 0; i -= i & -i) {
        sum = this.#monoid.add(sum, this.#tree[base + i - 1] as T);
      }
    }
    return sum;
  }

  /** Where weights reach what is before, a run is counted from its end. */
  #index(base: number, size: number, end: number): number {
    return this.#isForward ? end - base : size + 1 - (end - base);
  }
}
