import type { Block } from '../order/clock-columns.js';
import type { Direction } from './direction.js';
import type { OrderedPair } from './keyed-message.js';
import { turnsOf } from './less-message.js';
import type { Monoid } from './monoid.js';
import { partSums } from './part-sums.js';
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
  const { senders, receivers, admits } = turnsOf(slots, direction);
  const toB = direction === 'to b';
  const result = new Float64Array(toB ? b.size : a.size);
  const { start, runOf, placeOf, probe, parts } = runs;
  for (const block of clocks.passes()) {
    // In a block each event of b has to do with one run a lane, and each of a with its own.
    const [many, few] = [b.size * (block?.probes.length ?? 1), a.size];
    const [updates, queries] = toB ? [few, many] : [many, few];
    const sums = partSums(start, { updates, queries, reaches: toB ? 'behind' : 'before' }, add);

    /** Finds the part of its run that an event of `a` ends: what is before it, and itself. */
    const findOwn = (position: number): number => {
      const place = placeOf[position] as number;
      const run = runOf[place] as number;
      parts.run[0] = run;
      parts.end[0] = place + 1;
      return isIn(block, probe[run] as number) ? 1 : 0;
    };
    const send = (sender: number): void => {
      const count = toB ? findOwn(sender) : runs.findParts(sender, block);
      sums.update(parts, count, weights[sender] as number);
    };
    const receive = (receiver: number): void => {
      const count = toB ? runs.findParts(receiver, block) : findOwn(receiver);
      result[receiver] = add(result[receiver] as number, sums.sum(parts, count));
    };

    let next = 0;
    for (const receiver of receivers) {
      while (next < senders.length && admits(senders[next] as number, receiver)) {
        send(senders[next++] as number);
      }
      receive(receiver);
    }
  }
  return result;
}

/** Without a block, the pass is over pairs on one probe, which all runs may be in. */
function isIn(block: Block | undefined, probe: number): boolean {
  return block === undefined || (block.laneOf[probe] as number) >= 0;
}
