import type { ClockColumns } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { Monoid } from './monoid.js';
import type { Runs } from './runs.js';

/** Two lists, ordered, with the runs of the earlier one. */
export interface OrderedPair {
  readonly a: Matches;
  readonly b: Matches;
  readonly clocks: ClockColumns;
  readonly runs: Runs;
}

/*
 * Messages along an arrow between events that agree in their keys: as along a plain arrow, but
 * with sums within the runs.
 *
 * O(log events) for each event of b and each run of its key, besides the sweep.
 */

/** For each event of `b` the weights of the events of `a` of its key before it. */
export function keyedMessageToLater(
  { b, clocks, runs }: OrderedPair,
  weights: Float64Array,
  { add }: Monoid,
): Float64Array {
  const sums = new Float64Array(runs.positions.length);
  runs.positions.forEach((position, place) => {
    const weight = weights[position] as number;
    const isFirst = runs.start[runs.runOf[place] as number] === place;
    sums[place] = isFirst ? weight : add(sums[place - 1] as number, weight);
  });
  const result = new Float64Array(b.size);
  const { end } = runs.parts;
  for (const block of clocks.passes()) {
    for (let at = 0; at < b.size; at++) {
      const count = runs.findParts(at, block);
      let sum = result[at] as number;
      for (let part = 0; part < count; part++) {
        sum = add(sum, sums[(end[part] as number) - 1] as number);
      }
      result[at] = sum;
    }
  }
  return result;
}

/** For each event of `a` the weights of the events of `b` of its key after it. */
export function keyedMessageToEarlier(
  { a, b, clocks, runs }: OrderedPair,
  weights: Float64Array,
  { add }: Monoid,
): Float64Array {
  const steps = new Float64Array(runs.positions.length);
  const { end } = runs.parts;
  for (const block of clocks.passes()) {
    for (let at = 0; at < b.size; at++) {
      const count = runs.findParts(at, block);
      for (let part = 0; part < count; part++) {
        const last = (end[part] as number) - 1;
        steps[last] = add(steps[last] as number, weights[at] as number);
      }
    }
  }
  const result = new Float64Array(a.size);
  let sum = 0;
  for (let place = steps.length - 1; place >= 0; place--) {
    const isLast = runs.start[(runs.runOf[place] as number) + 1] === place + 1;
    sum = isLast ? (steps[place] as number) : add(sum, steps[place] as number);
    result[runs.positions[place] as number] = sum;
  }
  return result;
}
