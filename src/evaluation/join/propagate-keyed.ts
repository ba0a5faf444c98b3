import { at } from '../../source/index.js';
import type { PairPart } from './pair.js';
import { type ValueRanks, visitByValue } from './value-ranks.js';
import type { Direction, Monoid, Weights } from './weights.js';

/*
 * Propagation of weights along an arrow between events with equal keys. Works as for a plain arrow, with prefix sums
 * within the runs.
 *
 * O(log events) for each event of b and each run with its key, plus computing the clocks.
 */

type KeyedPair = Required<Pick<PairPart, 'a' | 'b' | 'runs'>>;

/** Returns, for each event of `b`, the sum of the weights of the preceding events of `a` with the same key. */
export function propagateForwardByKey<T>(
  { b, runs }: KeyedPair,
  weights: Weights<T>,
  { add, list }: Monoid<T>,
): Weights<T> {
  const sums = list(runs.positions.length);
  runs.positions.forEach((position, index) => {
    const weight = weights[position] as T;
    const isFirst = at(runs.start, at(runs.runOf, index)) === index;
    sums[index] = isFirst ? weight : add(sums[index - 1] as T, weight);
  });
  const result = list(b.size);
  for (const block of runs.passes()) {
    for (let event = 0; event < b.size; event++) {
      const count = runs.findParts(event, block);
      let sum = result[event] as T;
      for (let part = 0; part < count; part++) sum = add(sum, sums[at(runs.ends, part) - 1] as T);
      result[event] = sum;
    }
  }
  return result;
}

/** Returns, for each event of `a`, the sum of the weights of the following events of `b` with the same key. */
export function propagateBackwardByKey<T>(
  { a, b, runs }: KeyedPair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const steps = list(runs.positions.length);
  for (const block of runs.passes()) {
    for (let event = 0; event < b.size; event++) {
      const count = runs.findParts(event, block);
      for (let part = 0; part < count; part++) {
        const last = at(runs.ends, part) - 1;
        steps[last] = add(steps[last] as T, weights[event] as T);
      }
    }
  }
  const result = list(a.size);
  let sum = zero;
  for (let position = steps.length - 1; position >= 0; position--) {
    const isLast = at(runs.start, at(runs.runOf, position) + 1) === position + 1;
    sum = isLast ? (steps[position] as T) : add(sum, steps[position] as T);
    result[at(runs.positions, position)] = sum;
  }
  return result;
}

/**
 * Propagates weights along an arrow between events with equal keys whose values satisfy a comparison. Visits the events
 * in value order, and applies the order of time by sums over ranges of the runs.
 *
 * O(log events) for each event of b and each run with its key, plus computing the clocks.
 */
export function propagateByValue<T>(
  { a, b, runs }: KeyedPair,
  ranks: ValueRanks,
  weights: Weights<T>,
  direction: Direction,
  monoid: Monoid<T>,
): Weights<T> {
  const toB = direction === 'to b';
  const { add } = monoid;
  const result = monoid.list(toB ? b.size : a.size);
  const { ends, positions, start, runOf, positionOf: placeOf, probe } = runs;
  const longest = start.reduce(
    (maximum, end, run) => Math.max(maximum, end - (start[run - 1] ?? end)),
    0,
  );
  for (const block of runs.passes()) {
    const sums = new RangeSums(positions.length, longest, monoid);
    // Without columns, a pass may concern any run.
    const columnOf = block !== undefined && 'columnOf' in block ? block.columnOf : undefined;
    const isInBlock = (run: number) => columnOf === undefined || at(columnOf, at(probe, run)) >= 0;
    visitByValue(ranks, direction, {
      // The parts that contain an event of `a` are the parts of its run that end after the event.
      send(sender) {
        const weight = weights[sender] as T;
        if (toB) {
          const position = at(placeOf, sender);
          const run = at(runOf, position);
          if (isInBlock(run)) sums.addToRange(position, at(start, run + 1), weight);
          return;
        }
        const count = runs.findParts(sender, block);
        for (let part = 0; part < count; part++) sums.addAt(at(ends, part) - 1, weight);
      },
      receive(receiver) {
        let sum = result[receiver] as T;
        if (toB) {
          const count = runs.findParts(receiver, block);
          for (let part = 0; part < count; part++) sum = add(sum, sums.sumAt(at(ends, part) - 1));
        } else {
          const position = at(placeOf, receiver);
          const run = at(runOf, position);
          if (isInBlock(run)) sum = add(sum, sums.sumOfRange(position, at(start, run + 1)));
        }
        result[receiver] = sum;
      },
    });
  }
  return result;
}

/** Base-2 logarithm of the number of a tree node's children. */
const CHILD_BITS = 5;
/** Maximum number of nodes to sum one by one, without a higher level of the tree. */
const MAX_SUMMED = 256;

/**
 * A tree of weights. Supports either weights at positions summed over ranges, or weights of ranges summed at positions.
 * The tree has few levels, because operations at a position are more frequent.
 *
 * O(levels) at a position; O(levels * children) on a range.
 */
class RangeSums<T> {
  readonly #levels: Weights<T>[] = [];
  readonly #top: Weights<T>;
  readonly #monoid: Monoid<T>;

  /** @param longest the length of the longest range */
  constructor(size: number, longest: number, monoid: Monoid<T>) {
    this.#monoid = monoid;
    let nodes = size;
    for (let coveredLength = longest; coveredLength > MAX_SUMMED; coveredLength >>= CHILD_BITS) {
      this.#levels.push(monoid.list(nodes + 1));
      nodes >>= CHILD_BITS;
    }
    this.#top = monoid.list(nodes + 1);
    this.#levels.push(this.#top);
  }

  addAt(position: number, weight: T): void {
    const { add } = this.#monoid;
    let node = position;
    for (const level of this.#levels) {
      level[node] = add(level[node] as T, weight);
      node >>= CHILD_BITS;
    }
  }

  sumAt(position: number): T {
    const { add, zero } = this.#monoid;
    let node = position;
    let sum = zero;
    for (const level of this.#levels) {
      sum = add(sum, level[node] as T);
      node >>= CHILD_BITS;
    }
    return sum;
  }

  addToRange(first: number, end: number, weight: T): void {
    const { add } = this.#monoid;
    for (const [level, from, to] of this.#cover(first, end)) {
      for (let node = from; node < to; node++) level[node] = add(level[node] as T, weight);
    }
  }

  sumOfRange(first: number, end: number): T {
    const { add, zero } = this.#monoid;
    let sum = zero;
    for (const [level, from, to] of this.#cover(first, end)) {
      for (let node = from; node < to; node++) sum = add(sum, level[node] as T);
    }
    return sum;
  }

  /** Returns the highest nodes that together cover a range, as half-open ranges of nodes on one level each. */
  #cover(first: number, end: number): [Weights<T>, number, number][] {
    const parts: [Weights<T>, number, number][] = [];
    let [low, high] = [first, end];
    for (const level of this.#levels) {
      if (level === this.#top) break;
      const [up, down] = [(low + (1 << CHILD_BITS) - 1) >> CHILD_BITS, high >> CHILD_BITS];
      if (up >= down) {
        parts.push([level, low, high]);
        return parts;
      }
      parts.push([level, low, up << CHILD_BITS], [level, down << CHILD_BITS, high]);
      [low, high] = [up, down];
    }
    parts.push([this.#top, low, high]);
    return parts;
  }
}
