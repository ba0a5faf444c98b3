import { at } from '../../source/index.js';
import { entriesIn } from '../order/clock-rows.js';
import type { PairPart } from './pair.js';
import type { Monoid, Weights } from './weights.js';

/*
 * Propagation of weights along an arrow, `a -> b`. On each probe, the clock of an event of `b` gives the number of
 * preceding events of `a`, and so the prefix sum of their weights. Events between the same two receives share the sums
 * of other probes.
 *
 * O(events + segments of b * probes of a), plus computing the clocks.
 */

/** Two lists, with the clocks of `b` over `a`. */
export type OrderedPair = Required<Pick<PairPart, 'a' | 'b' | 'clocks'>>;

/** Returns, for each event of `b`, the sum of the weights of the preceding events of `a`. */
export function propagateForward<T>(
  { a, b, clocks }: OrderedPair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const { rowOf, rows, hasOwn } = clocks;
  // The prefix sums of each probe's weights, starting with zero, probe by probe.
  const sums = list(a.size + a.start.length);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let sum = zero;
    for (let event = at(a.start, probe); event < at(a.start, probe + 1); event++) {
      sum = add(sum, weights[event] as T);
      sums[event + probe + 1] = sum;
    }
  }
  const otherWeights = list(rows);
  for (const part of clocks.blocks()) {
    for (let row = 0; row < rows; row++) {
      const { ranks, from, to, timelines, shift } = entriesIn(part, row);
      let sum = otherWeights[row] as T;
      for (let entry = from; entry < to; entry++) {
        const rank = at(ranks, entry);
        if (rank === 0) continue;
        const probe = at(timelines, entry - shift);
        sum = add(sum, sums[at(a.start, probe) + probe + rank] as T);
      }
      otherWeights[row] = sum;
    }
  }
  const result = list(b.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let weightBefore = at(a.start, probe);
    const end = at(a.start, probe + 1);
    for (let event = at(b.start, probe); event < at(b.start, probe + 1); event++) {
      while (!hasOwn && weightBefore < end && at(a.events, weightBefore) < at(b.events, event))
        weightBefore++;
      const row = at(rowOf, event);
      const ownSum = sums[weightBefore + probe] as T;
      result[event] = row < 0 ? ownSum : add(ownSum, otherWeights[row] as T);
    }
  }
  return result;
}

/** Returns, for each event of `a`, the sum of the weights of the following events of `b`. */
export function propagateBackward<T>(
  { a, b, clocks }: OrderedPair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const { rowOf, rows, hasOwn } = clocks;
  const rowWeights = list(rows);
  rowOf.forEach((row, event) => {
    if (row >= 0) rowWeights[row] = add(rowWeights[row] as T, weights[event] as T);
  });
  // Add the weight of a row to the last of the `rank` events of a probe that precede the row. Suffix sums over the
  // probe then distribute the weight to the earlier events.
  const steps = list(a.size);
  for (const part of clocks.blocks()) {
    for (let row = 0; row < rows; row++) {
      const weight = rowWeights[row] as T;
      if (weight === zero) continue;
      const { ranks, from, to, timelines, shift } = entriesIn(part, row);
      for (let entry = from; entry < to; entry++) {
        const rank = at(ranks, entry);
        if (rank === 0) continue;
        const last = at(a.start, at(timelines, entry - shift)) + rank - 1;
        steps[last] = add(steps[last] as T, weight);
      }
    }
  }
  const result = list(a.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let otherSum = zero;
    let ownSum = zero;
    let lastAfter = at(b.start, probe + 1) - 1;
    const first = at(b.start, probe);
    for (let event = at(a.start, probe + 1) - 1; event >= at(a.start, probe); event--) {
      otherSum = add(otherSum, steps[event] as T);
      for (
        ;
        !hasOwn && lastAfter >= first && at(b.events, lastAfter) > at(a.events, event);
        lastAfter--
      ) {
        ownSum = add(ownSum, weights[lastAfter] as T);
      }
      result[event] = add(ownSum, otherSum);
    }
  }
  return result;
}
