import { messageToEarlier, messageToLater } from './arrow-message.js';
import type { Direction } from './direction.js';
import { groupMessage } from './group-message.js';
import { keyedMessageToEarlier, keyedMessageToLater } from './keyed-message.js';
import { lessMessage } from './less-message.js';
import type { Counting, Monoid } from './monoid.js';
import { orderedLessMessage } from './ordered-less-message.js';
import type { Pair, Part } from './pair.js';

/**
 * A message along a relation: for each event of one list, the weights of the events of the
 * other that are related to it, put together. The method follows from what the relation asks.
 *
 * @param weights for each event of the list that the message comes from
 */
export function message(
  pair: Pair,
  weights: Float64Array,
  direction: Direction,
  monoid: Monoid | Counting,
): Float64Array {
  if (pair.parts.length === 0) {
    return direction === 'to b'
      ? messageToLater(pair, weights, monoid)
      : messageToEarlier(pair, weights, monoid);
  }
  const [first, ...others] = pair.parts.map((part) => {
    const received = partMessage(pair, part, weights, direction, monoid);
    // Before anything is subtracted: the sums must have been exact already.
    if ('see' in monoid) monoid.see(received);
    return { sign: part.sign, received };
  });
  const result = (first as { received: Float64Array }).received;
  for (const { sign, received } of others) {
    const combine = sign === 1 ? monoid.add : (monoid as Counting).subtract;
    for (let at = 0; at < result.length; at++) {
      result[at] = combine(result[at] as number, received[at] as number);
    }
  }
  return result;
}

function partMessage(
  pair: Pair,
  part: Part,
  weights: Float64Array,
  direction: Direction,
  monoid: Monoid,
): Float64Array {
  const { keys, slots, runs } = part;
  if (runs === undefined || pair.clocks === undefined) {
    return slots === undefined
      ? groupMessage(keys, weights, direction, monoid)
      : lessMessage(keys, slots, weights, direction, monoid);
  }
  const ordered = { ...pair, clocks: pair.clocks, runs };
  if (slots !== undefined) return orderedLessMessage(ordered, slots, weights, direction, monoid);
  return direction === 'to b'
    ? keyedMessageToLater(ordered, weights, monoid)
    : keyedMessageToEarlier(ordered, weights, monoid);
}
