import type { Direction } from './direction.js';
import type { Keys } from './keys.js';
import type { Monoid } from './monoid.js';

/** A message between events that agree in their keys, in any order of time. O(events). */
export function groupMessage(
  keys: Keys,
  weights: Float64Array,
  direction: Direction,
  { add }: Monoid,
): Float64Array {
  const [from, to] = direction === 'to b' ? [keys.a, keys.b] : [keys.b, keys.a];
  const sums = new Float64Array(keys.count);
  from.forEach((key, at) => {
    if (key >= 0) sums[key] = add(sums[key] as number, weights[at] as number);
  });
  const result = new Float64Array(to.length);
  for (let at = 0; at < to.length; at++) {
    const key = to[at] as number;
    if (key >= 0) result[at] = sums[key] as number;
  }
  return result;
}
