import type { Comparator } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import { at, compareCodePoints, itemAt } from '../../source/index.js';
import { compareExact, type ExactNumber, keyOfExact } from '../exact/number.js';
import { type Cells, numberAt } from '../select/cells.js';
import { columnTexts } from '../select/columns.js';
import type { Direction } from './weights.js';

/** Each event's group number in two lists, or -1 for an event that cannot be paired. */
export interface Keys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly count: number;
}

/** A requirement that both sides have equal values, or only values of the same kind (as for `!=` and `<`). */
export interface Agreement {
  readonly a: Cells;
  readonly b: Cells;
  readonly of: 'value' | 'kind' | 'ordered kind';
}

/** Groups the events of two lists by the values that must agree. Uses hashing: O(events * agreements). */
export function groupByKeys(sizeA: number, sizeB: number, agreements: readonly Agreement[]): Keys {
  let keys: Keys = { a: new Int32Array(sizeA), b: new Int32Array(sizeB), count: 1 };
  for (const { a, b, of } of agreements) {
    const codes = new Map<unknown, number>();
    const codeA = assignCodes(a, of, codes);
    const codeB = assignCodes(b, of, codes);
    // If there is only one key so far, the codes become the keys.
    const pairs = keys.count === 1 ? undefined : new Map<number, number>();
    const ofA = merge(keys.a, codeA, codes.size, pairs);
    const ofB = merge(keys.b, codeB, codes.size, pairs);
    keys = { a: ofA, b: ofB, count: (pairs ?? codes).size };
  }
  return keys;
}

/** Numbers the distinct values in order of appearance. An event without a usable value has -1. */
function assignCodes(cells: Cells, of: Agreement['of'], codes: Map<unknown, number>): Int32Array {
  const result = new Int32Array(cells.kinds.length).fill(-1);
  for (let position = 0; position < result.length; position++) {
    const kind = itemAt(cells.kinds, position);
    if (kind === ValueKind.missing) continue;
    if (of === 'ordered kind' && kind !== ValueKind.float && kind !== ValueKind.string) continue;
    const key = of === 'value' ? valueKey(cells, kind, position) : kind;
    let code = codes.get(key);
    if (code === undefined) {
      code = codes.size;
      codes.set(key, code);
    }
    result[position] = code;
  }
  return result;
}

/** Returns a key that is the same only for equal values. */
function valueKey(cells: Cells, kind: number, position: number): number | bigint | string {
  if (kind === ValueKind.float) return keyOfExact(numberAt(cells, position) as ExactNumber);
  return `${kind}:${cells.numbers[position]}`;
}

function merge(
  keys: Int32Array,
  codes: Int32Array,
  width: number,
  pairs?: Map<number, number>,
): Int32Array {
  return keys.map((key, position) => {
    const code = at(codes, position);
    if (key < 0 || code < 0) return -1;
    if (pairs === undefined) return code;
    const pair = key * width + code;
    const existing = pairs.get(pair);
    if (existing !== undefined) return existing;
    pairs.set(pair, pairs.size);
    return pairs.size - 1;
  });
}

/** The events of two lists, ranked by key and then by compared value. Equal ranks mean equal keys and equal values. */
export interface ValueRanks {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** The positions of the events with a key, ascending by rank. */
  readonly sortedA: Int32Array;
  readonly sortedB: Int32Array;
  /** The comparator between an event of `a` and an event of `b`. */
  readonly comparator: Comparator;
}

/**
 * Ranks the events of both lists by key and value. Events with the same key must have values of one kind, numbers or
 * strings. O(n log n) for n events.
 */
export function rankValues(
  session: Session,
  keys: Keys,
  comparator: Comparator,
  a: Cells,
  b: Cells,
): ValueRanks {
  const texts = columnTexts(session);
  const size = keys.a.length;
  const isPlain = a.exact.size + b.exact.size === 0;
  // The events of `a`, followed by the events of `b`.
  const entries = Int32Array.from({ length: size + keys.b.length }, (_, entry) => entry);
  const keyOf = (entry: number) => (entry < size ? at(keys.a, entry) : at(keys.b, entry - size));
  const order = (one: number, other: number): number => {
    const keyOrder = keyOf(one) - keyOf(other);
    if (keyOrder !== 0) return keyOrder;
    const [x, y] = [one < size ? a : b, other < size ? a : b];
    const [i, j] = [one < size ? one : one - size, other < size ? other : other - size];
    const [p, q] = [itemAt(x.numbers, i), itemAt(y.numbers, j)];
    if (x.kinds[i] === ValueKind.string) {
      return p === q ? 0 : compareCodePoints(texts[p] as string, texts[q] as string);
    }
    if (isPlain) return p < q ? -1 : p > q ? 1 : 0;
    return compareExact(numberAt(x, i) as ExactNumber, numberAt(y, j) as ExactNumber);
  };
  const sortedEntries = entries.filter((entry) => keyOf(entry) >= 0).sort(order);
  const ranks = new Int32Array(entries.length).fill(-1);
  sortedEntries.forEach((entry, position) => {
    const previous = position === 0 ? -1 : at(sortedEntries, position - 1);
    const isEqual = previous >= 0 && order(previous, entry) === 0;
    ranks[entry] = previous < 0 ? 0 : at(ranks, previous) + (isEqual ? 0 : 1);
  });
  return {
    a: ranks.subarray(0, size),
    b: ranks.subarray(size),
    sortedA: sortedEntries.filter((entry) => entry < size),
    sortedB: sortedEntries.filter((entry) => entry >= size).map((entry) => entry - size),
    comparator,
  };
}

/** The callbacks for the events of two lists, in value order. */
interface ValueVisitor {
  send(sender: number): void;
  receive(receiver: number): void;
}

/** Visits senders and receivers in value order, with each receiver after all its senders. */
export function visitByValue(ranks: ValueRanks, direction: Direction, visitor: ValueVisitor): void {
  const { comparator } = ranks;
  const toB = direction === 'to b';
  const [sentKeys, receivedKeys] = toB ? [ranks.a, ranks.b] : [ranks.b, ranks.a];
  const sortedLists = toB ? [ranks.sortedA, ranks.sortedB] : [ranks.sortedB, ranks.sortedA];
  const isLess = comparator === '<' || comparator === '<=';
  const isStrict = comparator === '<' || comparator === '>';
  // For a < b, an event of b receives from events with smaller values, and an event of a from events with larger
  // values.
  const isUp = toB === isLess;
  const [senders, receivers] = sortedLists.map((list) => (isUp ? list : list.toReversed())) as [
    Int32Array,
    Int32Array,
  ];
  const minRank = isStrict ? 1 : 0;
  const sign = isUp ? 1 : -1;
  let nextIndex = 0;
  for (const receiver of receivers) {
    const rank = at(receivedKeys, receiver);
    while (
      nextIndex < senders.length &&
      (rank - at(sentKeys, at(senders, nextIndex))) * sign >= minRank
    ) {
      visitor.send(at(senders, nextIndex++));
    }
    visitor.receive(receiver);
  }
}
