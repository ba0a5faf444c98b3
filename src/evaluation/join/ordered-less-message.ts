import type { Block } from '../order/clock-columns.js';
import type { OrderedPair } from './keyed-message.js';
import { turnsOf } from './less-message.js';
import type { Direction } from './message.js';
import type { Monoid } from './monoid.js';
import type { Slots } from './slots.js';

/**
 * A message along an arrow between events of one key whose values compare so: by value, with
 * a Fenwick tree over each run for the order of time.
 *
 * O(log events) for each event of b and each run of its key, besides the sweep.
 */
export function orderedLessMessage(
  { a, b, clocks, runs }: OrderedPair,
  slots: Slots,
  weights: Float64Array,
  direction: Direction,
  { add }: Monoid,
): Float64Array {
  const { tellers, hearers, admits } = turnsOf(slots, direction);
  const toB = direction === 'to b';
  const result = new Float64Array(toB ? b.size : a.size);
  const { start, runOf, placeOf, probe } = runs;
  for (const block of clocks.passes()) {
    const tree = new Float64Array(runs.positions.length);
    const isHere = (run: number) => isIn(block, probe[run] as number);

    /** An event of `a` stands in its run; one of `b` at the ends of what is before it. */
    const tell = (teller: number): void => {
      const weight = weights[teller] as number;
      if (toB) {
        const place = placeOf[teller] as number;
        const run = runOf[place] as number;
        const [from, to] = [start[run] as number, start[run + 1] as number];
        if (isHere(run)) update(tree, from, to - from, place - from + 1, weight, add);
      } else {
        runs.forEachPart(teller, block, (run, end) => {
          const [from, to] = [start[run] as number, start[run + 1] as number];
          // From the end, so that a prefix is what ends at a place or behind it.
          update(tree, from, to - from, to - end + 1, weight, add);
        });
      }
    };
    const hear = (hearer: number): void => {
      if (toB) {
        runs.forEachPart(hearer, block, (run, end) => {
          const from = start[run] as number;
          result[hearer] = add(result[hearer] as number, prefix(tree, from, end - from, add));
        });
      } else {
        const place = placeOf[hearer] as number;
        const run = runOf[place] as number;
        if (!isHere(run)) return;
        const heard = prefix(tree, start[run] as number, (start[run + 1] as number) - place, add);
        result[hearer] = add(result[hearer] as number, heard);
      }
    };

    let next = 0;
    for (const hearer of hearers) {
      while (next < tellers.length && admits(tellers[next] as number, hearer)) {
        tell(tellers[next++] as number);
      }
      hear(hearer);
    }
  }
  return result;
}

/** Without a block, the pass is over pairs on one probe, which all runs may be in. */
function isIn(block: Block | undefined, probe: number): boolean {
  return block === undefined || (block.laneOf[probe] as number) >= 0;
}

/** Adds a weight at a place, from 1, of the Fenwick tree of `size` that begins at `base`. */
function update(
  tree: Float64Array,
  base: number,
  size: number,
  place: number,
  weight: number,
  add: Monoid['add'],
): void {
  for (let at = place; at <= size; at += at & -at) {
    tree[base + at - 1] = add(tree[base + at - 1] as number, weight);
  }
}

/** The weights of the first `length` places. */
function prefix(tree: Float64Array, base: number, length: number, add: Monoid['add']): number {
  let sum = 0;
  for (let at = length; at > 0; at -= at & -at) sum = add(sum, tree[base + at - 1] as number);
  return sum;
}
