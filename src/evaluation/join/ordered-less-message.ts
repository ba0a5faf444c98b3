import type { Block } from '../order/clock-columns.js';
import type { Direction } from './direction.js';
import type { OrderedPair } from './keyed-message.js';
import { turnsOf } from './less-message.js';
import type { Monoid } from './monoid.js';
import { prefixSums } from './prefix-sums.js';
import type { Slots } from './slots.js';

/**
 * A message along an arrow between events of one key whose values compare so: by value, with
 * sums over each run for the order of time.
 *
 * At most O(log events) for each event of b and each run of its key, besides the sweep.
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
  const { start, runOf, placeOf, probe, partRun, partEnd } = runs;
  for (const block of clocks.passes()) {
    const places = runs.positions.length;
    const average = places / Math.max(1, probe.length);
    // In a block each event of b has to do with one run a lane, and each of a with its own.
    const [many, few] = [b.size * (block?.probes.length ?? 1), a.size];
    const [updates, queries] = toB ? [few, many] : [many, few];
    const sums = prefixSums(places, average, updates, queries, add);
    const isHere = (run: number) => isIn(block, probe[run] as number);

    /** An event of `a` stands in its run; one of `b` at the ends of what is before it. */
    const tell = (teller: number): void => {
      const weight = weights[teller] as number;
      if (toB) {
        const place = placeOf[teller] as number;
        const run = runOf[place] as number;
        const from = start[run] as number;
        const to = start[run + 1] as number;
        if (isHere(run)) sums.update(from, to - from, place - from + 1, weight);
      } else {
        const count = runs.findParts(teller, block);
        for (let part = 0; part < count; part++) {
          const run = partRun[part] as number;
          const from = start[run] as number;
          const to = start[run + 1] as number;
          // From the end, so that a prefix is what ends at a place or behind it.
          sums.update(from, to - from, to - (partEnd[part] as number) + 1, weight);
        }
      }
    };
    const hear = (hearer: number): void => {
      if (toB) {
        const count = runs.findParts(hearer, block);
        let sum = result[hearer] as number;
        for (let part = 0; part < count; part++) {
          const from = start[partRun[part] as number] as number;
          sum = add(sum, sums.prefix(from, (partEnd[part] as number) - from));
        }
        result[hearer] = sum;
      } else {
        const place = placeOf[hearer] as number;
        const run = runOf[place] as number;
        if (!isHere(run)) return;
        const heard = sums.prefix(start[run] as number, (start[run + 1] as number) - place);
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
