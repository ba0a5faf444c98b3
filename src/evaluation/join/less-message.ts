import type { Direction } from './direction.js';
import type { Keys } from './keys.js';
import type { Monoid } from './monoid.js';
import type { Slots } from './slots.js';

/** Who tells and who hears, in the order in which a hearer hears all tellers before it. */
export interface Turns {
  readonly tellers: Int32Array;
  readonly hearers: Int32Array;
  /** Whether a teller satisfies the comparison with a hearer of its key. */
  readonly admits: (teller: number, hearer: number) => boolean;
}

/** The order of a message along `<`, `<=`, `>` or `>=`: by value, up or down. */
export function turnsOf(slots: Slots, direction: Direction): Turns {
  const toB = direction === 'to b';
  const [tell, hear] = toB ? [slots.a, slots.b] : [slots.b, slots.a];
  const [tellers, hearers] = toB ? [slots.sortedA, slots.sortedB] : [slots.sortedB, slots.sortedA];
  const isLess = slots.comparator === '<' || slots.comparator === '<=';
  const isStrict = slots.comparator === '<' || slots.comparator === '>';
  // a < b: an event of b hears those with smaller values, one of a those with larger ones.
  const isUp = toB === isLess;
  const least = isStrict ? 1 : 0;
  const way = isUp ? 1 : -1;
  return {
    tellers: isUp ? tellers : tellers.slice().reverse(),
    hearers: isUp ? hearers : hearers.slice().reverse(),
    admits: (teller, hearer) =>
      ((hear[hearer] as number) - (tell[teller] as number)) * way >= least,
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
  const { tellers, hearers, admits } = turnsOf(slots, direction);
  const [from, to] = direction === 'to b' ? [keys.a, keys.b] : [keys.b, keys.a];
  const sums = new Float64Array(keys.count);
  const result = new Float64Array(to.length);
  let next = 0;
  for (const hearer of hearers) {
    while (next < tellers.length && admits(tellers[next] as number, hearer)) {
      const teller = tellers[next++] as number;
      const key = from[teller] as number;
      sums[key] = add(sums[key] as number, weights[teller] as number);
    }
    result[hearer] = sums[to[hearer] as number] as number;
  }
  return result;
}
