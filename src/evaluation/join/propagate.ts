import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { memoize } from '../exact/undecided.js';
import { ClockColumns, type Clocks } from '../order/clock-columns.js';
import { computeDirectClocks } from '../order/direct-clocks.js';
import { Matches } from '../order/matches.js';
import type { Join } from '../query/query.js';
import { difference, union } from '../select/candidates.js';
import { findKeysBetween, type PairPart, preparePair } from './pair.js';
import { propagateBackward, propagateForward } from './propagate-arrow.js';
import {
  propagateBackwardByKey,
  propagateByValue,
  propagateForwardByKey,
} from './propagate-keyed.js';
import type { Relation } from './relation.js';
import { type Keys, type ValueRanks, visitByValue } from './value-ranks.js';
import { type IntermediateEvents, ViaClocks } from './via-clocks.js';
import type { Counting, Direction, Monoid, Weights } from './weights.js';

const solvers = new WeakMap<readonly Matches[], Solver>();

/** Returns the solver of some lists, with subtraction. Created once. */
export function solverOf(session: Session, lists: readonly Matches[]): Solver {
  const solver = solvers.get(lists) ?? new Solver(session, lists);
  solvers.set(lists, solver);
  return solver;
}

/**
 * Maximum number of a relation's parts to cache. More parts would take too much memory, so they are created on each
 * use.
 */
const MAX_CACHED = 8;

/** A solver that propagates weights between the labels' event lists along relations. Prepares each relation once. */
export class Solver {
  readonly #parts = new Map<Relation, readonly (() => PairPart)[]>();

  /** @param subtracts true if weights can be subtracted; otherwise, relations must be monotone */
  constructor(
    readonly session: Session,
    readonly lists: readonly Matches[],
    readonly subtracts = true,
  ) {}

  list(label: number): Matches {
    return this.lists[label] as Matches;
  }

  /**
   * Returns functions that create the relation's signed parts. Cached by relation, so a relation must not change
   * afterwards.
   */
  partsOf(relation: Relation): readonly (() => PairPart)[] {
    const cached = this.#parts.get(relation);
    if (cached !== undefined) return cached;
    const prepared = this.#prepare(relation);
    const parts = prepared.length > MAX_CACHED ? prepared : prepared.map(memoize);
    this.#parts.set(relation, parts);
    return parts;
  }

  /** Returns, for each event of `label`, the combined weights of the related events at the relation's other end. */
  propagate<T>(
    relation: Relation,
    label: number,
    weights: Weights<T>,
    monoid: Monoid<T> | Counting<T>,
  ): Weights<T> {
    const parts = this.partsOf(relation);
    let result: Weights<T> | undefined;
    for (const make of parts) {
      const part = make();
      const direction = label === part.earlier ? 'to a' : 'to b';
      const receivedWeights = propagatePart(part, weights, direction, monoid);
      // Record the peak before subtracting, because the sums must already be exact.
      if (parts.length > 1 && 'recordPeak' in monoid) monoid.recordPeak(receivedWeights);
      if (result === undefined) {
        result = receivedWeights;
        continue;
      }
      const combine = part.sign === 1 ? monoid.add : (monoid as Counting<T>).subtract;
      for (let event = 0; event < result.length; event++) {
        result[event] = combine(result[event] as T, receivedWeights[event] as T);
      }
    }
    return result ?? monoid.list(this.list(label).size);
  }

  /**
   * Expresses a relation as a signed sum of pairs. Concurrent pairs are all pairs, minus the pairs ordered either way,
   * minus the pairs of an event with itself. Pairs with nothing in between are all pairs, minus the pairs with
   * something in between.
   */
  #prepare(relation: Relation): (() => PairPart)[] {
    const { u, v, order, isConcurrent, between, equal } = relation;
    // No pair is both ordered and concurrent.
    if (isConcurrent && order !== 0) return [];
    if (isConcurrent) {
      const [eventsOfU, eventsOfV] = [this.list(u).events, this.list(v).events];
      const areApart = difference(eventsOfU, eventsOfV).length === eventsOfU.length;
      const equalityJoin: Join = {
        ...{ u, v, comparator: '=', text: '' },
        ...{ left: { kind: 'event', label: u }, right: { kind: 'event', label: v } },
      };
      return [
        ...this.#ordered(relation, 0, 1),
        ...this.#ordered(relation, 1, -1),
        ...this.#ordered(relation, -1, -1),
        ...(areApart ? [] : this.#ordered({ ...relation, equal: [...equal, equalityJoin] }, 0, -1)),
      ];
    }
    const excludedParts: (() => PairPart)[] = [];
    for (const earlier of new Set(between.map((key) => key.earlier))) {
      const wayDirection = earlier === u ? 1 : -1;
      if (order === -wayDirection) continue;
      const [a, b] =
        wayDirection === 1 ? [this.list(u), this.list(v)] : [this.list(v), this.list(u)];
      const ways = between
        .filter((key) => key.earlier === earlier)
        .map((key): IntermediateEvents => {
          const keys = findKeysBetween(this.session, relation, key, this.lists);
          return { via: key.via, keys };
        });
      const isKeyed = ways.some(({ keys }) => keys !== undefined);
      const direct = order !== 0 && !isKeyed ? this.#direct(a, b, ways) : undefined;
      if (direct !== undefined) {
        const [allClocks, someClocks] = direct;
        return [
          ...this.#ordered(relation, wayDirection, 1, allClocks),
          ...this.#ordered(relation, wayDirection, -1, someClocks),
        ];
      }
      excludedParts.push(
        ...this.#ordered(relation, wayDirection, -1, new ViaClocks(this.session, a, b, ways)),
      );
    }
    return [...this.#ordered(relation, order, 1), ...excludedParts];
  }

  #direct(
    a: Matches,
    b: Matches,
    ways: readonly IntermediateEvents[],
  ): ReturnType<typeof computeDirectClocks> {
    const events = ways.map(({ via }) => via.events).reduce(union);
    return computeDirectClocks(this.session, a, b, new Matches(this.session, events));
  }

  /**
   * Prepares a relation with a given order and sign.
   *
   * @param clocks the events of the earlier list paired with each event of the later list (default: the preceding
   * events)
   */
  #ordered(
    relation: Relation,
    order: Relation['order'],
    sign: 1 | -1,
    clocks?: Clocks,
  ): (() => PairPart)[] {
    const [a, b] = order === -1 ? [relation.v, relation.u] : [relation.u, relation.v];
    const arrow = () => new ClockColumns(this.session, this.list(a), this.list(b));
    const clocksOfPair = clocks ?? (order === 0 ? undefined : arrow());
    const { session, lists, subtracts } = this;
    return preparePair(session, { ...relation, order }, lists, sign, clocksOfPair, subtracts);
  }
}

/**
 * Propagates weights through a part, with the method for its requirements: an order of time, an order of values, both
 * or neither.
 */
function propagatePart<T>(
  { a, b, clocks, keys, ranks, runs }: PairPart,
  weights: Weights<T>,
  direction: Direction,
  monoid: Monoid<T>,
): Weights<T> {
  const toB = direction === 'to b';
  if (clocks === undefined) {
    return ranks === undefined
      ? propagateInGroups(keys as Keys, weights, direction, monoid)
      : propagateInOrder(keys as Keys, ranks, weights, direction, monoid);
  }
  if (runs === undefined) {
    return (toB ? propagateForward : propagateBackward)({ a, b, clocks }, weights, monoid);
  }
  const pair = { a, b, runs };
  if (ranks !== undefined) return propagateByValue(pair, ranks, weights, direction, monoid);
  return (toB ? propagateForwardByKey : propagateBackwardByKey)(pair, weights, monoid);
}

/** Propagates weights between events with equal keys, in any order of time. O(events). */
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

/**
 * Propagates weights between events with equal keys whose values satisfy the comparison, in any order of time.
 * O(events).
 */
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
  visitByValue(ranks, direction, {
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
