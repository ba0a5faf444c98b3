import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { ClockColumns } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import { type Pair, type PairPart, preparePair } from './pair.js';
import { propagateToEarlier, propagateToLater } from './propagate-arrow.js';
import {
  propagateByValue,
  propagateToEarlierOfKey,
  propagateToLaterOfKey,
} from './propagate-keyed.js';
import type { Relation } from './relation.js';
import type { Keys } from './value-ranks.js';
import { takeTurns, type ValueRanks } from './value-ranks.js';
import type { Counting, Direction, Monoid, Weights } from './weights.js';

/** Lists of events for the labels, and weights along their relations; what these need is prepared once. */
export class Solver {
  readonly #pairs = new Map<Relation, Pair>();

  constructor(
    readonly session: Session,
    readonly lists: readonly Matches[],
  ) {}

  list(label: number): Matches {
    return this.lists[label] as Matches;
  }

  /** What `label` receives along a relation from the label at its other end. */
  propagate<T>(
    relation: Relation,
    label: number,
    weights: Weights<T>,
    monoid: Monoid<T> | Counting<T>,
  ): Weights<T> {
    const earlier = relation.order === -1 ? relation.v : relation.u;
    const direction: Direction = label === earlier ? 'to a' : 'to b';
    return propagate(this.#pair(relation, earlier), weights, direction, monoid);
  }

  #pair(relation: Relation, earlier: number): Pair {
    const known = this.#pairs.get(relation);
    if (known !== undefined) return known;
    const later = earlier === relation.u ? relation.v : relation.u;
    const clocks =
      relation.order === 0
        ? undefined
        : new ClockColumns(this.session, this.list(earlier), this.list(later));
    const pair = preparePair(this.session, relation, this.lists, clocks);
    this.#pairs.set(relation, pair);
    return pair;
  }
}

/**
 * Weights along a relation: for each event of one list, those of the events of the other that
 * are related to it, put together.
 *
 * @param weights for each event of the list that they come from
 */
function propagate<T>(
  pair: Pair,
  weights: Weights<T>,
  direction: Direction,
  monoid: Monoid<T> | Counting<T>,
): Weights<T> {
  if (pair.parts.length === 0) {
    return direction === 'to b'
      ? propagateToLater(pair, weights, monoid)
      : propagateToEarlier(pair, weights, monoid);
  }
  const [first, ...others] = pair.parts.map((part) => {
    const received = propagatePart(pair, part, weights, direction, monoid);
    // Before anything is subtracted: the sums must have been exact already.
    if ('recordPeak' in monoid) monoid.recordPeak(received);
    return { sign: part.sign, received };
  });
  const result = (first as { received: Weights<T> }).received;
  for (const { sign, received } of others) {
    const combine = sign === 1 ? monoid.add : (monoid as Counting<T>).subtract;
    for (let event = 0; event < result.length; event++) {
      result[event] = combine(result[event] as T, received[event] as T);
    }
  }
  return result;
}

/** By what a part asks for: an order of time, an order of values, both or neither. */
function propagatePart<T>(
  { a, b, clocks }: Pair,
  { keys, ranks, runs }: PairPart,
  weights: Weights<T>,
  direction: Direction,
  monoid: Monoid<T>,
): Weights<T> {
  if (runs === undefined || clocks === undefined) {
    return ranks === undefined
      ? propagateInGroups(keys, weights, direction, monoid)
      : propagateInOrder(keys, ranks, weights, direction, monoid);
  }
  const pair = { a, b, clocks, runs };
  if (ranks !== undefined) return propagateByValue(pair, ranks, weights, direction, monoid);
  return direction === 'to b'
    ? propagateToLaterOfKey(pair, weights, monoid)
    : propagateToEarlierOfKey(pair, weights, monoid);
}

/** Between events that agree in their keys, in any order of time. O(events). */
function propagateInGroups<T>(
  keys: Keys,
  weights: Weights<T>,
  direction: Direction,
  { list, add }: Monoid<T>,
): Weights<T> {
  const [from, to] = direction === 'to b' ? [keys.a, keys.b] : [keys.b, keys.a];
  const sums = list(keys.count);
  from.forEach((key, event) => {
    if (key >= 0) sums[key] = add(sums[key] as T, weights[event] as T);
  });
  const result = list(to.length);
  to.forEach((key, event) => {
    if (key >= 0) result[event] = sums[key] as T;
  });
  return result;
}

/** Between events of one key whose values compare so, in any order of time. O(events). */
function propagateInOrder<T>(
  keys: Keys,
  ranks: ValueRanks,
  weights: Weights<T>,
  direction: Direction,
  { list, add }: Monoid<T>,
): Weights<T> {
  const [from, to] = direction === 'to b' ? [keys.a, keys.b] : [keys.b, keys.a];
  const sums = list(keys.count);
  const result = list(to.length);
  takeTurns(ranks, direction, {
    send(sender) {
      const key = at(from, sender);
      sums[key] = add(sums[key] as T, weights[sender] as T);
    },
    receive(receiver) {
      result[receiver] = sums[at(to, receiver)] as T;
    },
  });
  return result;
}
