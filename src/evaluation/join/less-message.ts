import type { Direction } from './direction.js';
import type { Keys } from './keys.js';
import type { Monoid } from './monoid.js';
import type { Slots } from './slots.js';

/** The senders and receivers, ordered so that a receiver gets what all senders before it send. */
export interface Turns {
  readonly senders: Int32Array;
  readonly receivers: Int32Array;
  /** Whether a sender satisfies the comparison with a receiver of its key. */
  readonly admits: (sender: number, receiver: number) => boolean;
}

/** The order of a message along `<`, `<=`, `>` or `>=`: by value, up or down. */
export function turnsOf(slots: Slots, direction: Direction): Turns {
  const toB = direction === 'to b';
  const [send, receive] = toB ? [slots.a, slots.b] : [slots.b, slots.a];
  const [senders, receivers] = toB
    ? [slots.sortedA, slots.sortedB]
    : [slots.sortedB, slots.sortedA];
  const isLess = slots.comparator === '<' || slots.comparator === '<=';
  const isStrict = slots.comparator === '<' || slots.comparator === '>';
  // a < b: an event of b receives those with smaller values, one of a those with larger ones.
  const isUp = toB === isLess;
  const least = isStrict ? 1 : 0;
  const way = isUp ? 1 : -1;
  return {
    senders: isUp ? senders : senders.slice().reverse(),
    receivers: isUp ? receivers : receivers.slice().reverse(),
    admits: (sender, receiver) =>
      ((receive[receiver] as number) - (send[sender] as number)) * way >= least,
  };
}

/** A message between events of one key whose values compare so, in any order of time. O(events). */
export function lessMessage(
  keys: Keys,
  slots: Slots,
  weights: Float64Array,
  direction: Direction,
  { add }: Monoid,
): Float64Array {
  const { senders, receivers, admits } = turnsOf(slots, direction);
  const [from, to] = direction === 'to b' ? [keys.a, keys.b] : [keys.b, keys.a];
  const sums = new Float64Array(keys.count);
  const result = new Float64Array(to.length);
  let next = 0;
  for (const receiver of receivers) {
    while (next < senders.length && admits(senders[next] as number, receiver)) {
      const sender = senders[next++] as number;
      const key = from[sender] as number;
      sums[key] = add(sums[key] as number, weights[sender] as number);
    }
    result[receiver] = sums[to[receiver] as number] as number;
  }
  return result;
}
