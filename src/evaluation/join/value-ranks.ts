import type { Comparator } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import { at, compareCodePoints, itemAt } from '../../source/index.js';
import { compareExact, type Exact, keyOfExact } from '../exact/number.js';
import { sortByRank } from '../select/candidates.js';
import { type Cells, numberAt } from '../select/cells.js';
import type { Direction } from './weights.js';

/** For each event of two lists, its group, or -1 if it goes with none of the other list. */
export interface Keys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly count: number;
}

/** What both sides must agree on: the value, or only its kind (as for `!=` and `<`). */
export interface Agreement {
  readonly a: Cells;
  readonly b: Cells;
  readonly of: 'value' | 'kind' | 'ordered kind';
}

/** Groups the events of two lists by what they must agree on. O(events * agreements), by hashing. */
export function groupByKeys(sizeA: number, sizeB: number, agreements: readonly Agreement[]): Keys {
  let keys: Keys = { a: new Int32Array(sizeA), b: new Int32Array(sizeB), count: 1 };
  for (const { a, b, of } of agreements) {
    const codes = new Map<unknown, number>();
    const codeA = codesOf(a, of, codes);
    const codeB = codesOf(b, of, codes);
    // If there was only one key so far, the codes are the keys.
    const pairs = keys.count === 1 ? undefined : new Map<number, number>();
    const ofA = merge(keys.a, codeA, codes.size, pairs);
    const ofB = merge(keys.b, codeB, codes.size, pairs);
    keys = { a: ofA, b: ofB, count: (pairs ?? codes).size };
  }
  return keys;
}

/** Numbers the values in order of appearance. */
function codesOf(cells: Cells, of: Agreement['of'], codes: Map<unknown, number>): Int32Array {
  const result = new Int32Array(cells.kinds.length).fill(-1);
  for (let place = 0; place < result.length; place++) {
    const kind = itemAt(cells.kinds, place);
    if (kind === ValueKind.missing) continue;
    if (of === 'ordered kind' && kind !== ValueKind.float && kind !== ValueKind.string) continue;
    const key = of === 'value' ? valueKey(cells, kind, place) : kind;
    let code = codes.get(key);
    if (code === undefined) {
      code = codes.size;
      codes.set(key, code);
    }
    result[place] = code;
  }
  return result;
}

/** Numbers as themselves; texts and the like by kind and index, as texts of their own. */
function valueKey(cells: Cells, kind: number, place: number): number | bigint | string {
  if (kind === ValueKind.float) return keyOfExact(numberAt(cells, place) as Exact);
  return `${kind}:${cells.numbers[place]}`;
}

function merge(
  keys: Int32Array,
  codes: Int32Array,
  width: number,
  pairs?: Map<number, number>,
): Int32Array {
  return keys.map((key, place) => {
    const code = at(codes, place);
    if (key < 0 || code < 0) return -1;
    if (pairs === undefined) return code;
    const pair = key * width + code;
    const known = pairs.get(pair);
    if (known !== undefined) return known;
    pairs.set(pair, pairs.size);
    return pairs.size - 1;
  });
}

/**
 * The events of two lists on one scale: first by their key, then by the value that a comparison
 * asks for. Equal ranks mean equal keys and equal values.
 */
export interface ValueRanks {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** The positions of the events that have a key, ascending by rank. */
  readonly sortedA: Int32Array;
  readonly sortedB: Int32Array;
  /** Between an event of `a` and one of `b`. */
  readonly comparator: Comparator;
}

/** Sorts both lists by key and value. O(n log n) for n events. */
export function rankValues(
  session: Session,
  keys: Keys,
  comparator: Comparator,
  a: Cells,
  b: Cells,
): ValueRanks {
  const [rankA, rankB] = denseRanks(ranksOf(session, a, b));
  const width = keys.a.length + keys.b.length + 1;
  // With one key, the values alone determine the ranks.
  const [ofA, ofB] =
    keys.count === 1
      ? [rankA, rankB]
      : denseRanks([composite(keys.a, rankA, width), composite(keys.b, rankB, width)]);
  const ranks = { a: ranksWhere(keys.a, ofA), b: ranksWhere(keys.b, ofB) };
  const [sortedA, sortedB] = [sortByRank(ranks.a, width), sortByRank(ranks.b, width)];
  return { ...ranks, sortedA, sortedB, comparator };
}

/** Numbers in the order of the values; those of different kinds need not be comparable. */
function ranksOf(session: Session, a: Cells, b: Cells): [Float64Array, Float64Array] {
  const ofTexts = rankDistinct(
    [a, b],
    ({ kinds, numbers }, place) =>
      kinds[place] === ValueKind.string ? itemAt(numbers, place) : undefined,
    (text) => text,
    (x, y) => compareCodePoints(session.texts[x] as string, session.texts[y] as string),
  );
  // Numbers that doubles cannot hold are sorted by comparing them.
  const isPlain = a.exact.size === 0 && b.exact.size === 0;
  const ofNumbers = isPlain ? undefined : rankDistinct([a, b], numberAt, keyOfExact, compareExact);
  const ranks = (cells: Cells): Float64Array => {
    const result = new Float64Array(cells.kinds.length);
    for (let place = 0; place < result.length; place++) {
      const kind = cells.kinds[place];
      if (kind === ValueKind.string) result[place] = ofTexts(cells, place);
      if (kind !== ValueKind.float) continue;
      // -0 becomes 0, even where places are told apart by their bits.
      result[place] = ofNumbers?.(cells, place) ?? itemAt(cells.numbers, place) + 0;
    }
    return result;
  };
  return [ranks(a), ranks(b)];
}

/** The place of each value of two lists among the distinct ones of both. */
function rankDistinct<Value>(
  sides: readonly Cells[],
  valueAt: (cells: Cells, place: number) => Value | undefined,
  keyOf: (value: Value) => unknown,
  compare: (a: Value, b: Value) => number,
): (cells: Cells, place: number) => number {
  const distinct = new Map<unknown, Value>();
  for (const cells of sides) {
    for (let place = 0; place < cells.kinds.length; place++) {
      const value = valueAt(cells, place);
      if (value !== undefined) distinct.set(keyOf(value), value);
    }
  }
  const sorted = [...distinct.values()].sort(compare);
  const ranks = new Map(sorted.map((value, rank) => [keyOf(value), rank]));
  return (cells, place) => ranks.get(keyOf(valueAt(cells, place) as Value)) as number;
}

function composite(keys: Int32Array, ranks: Float64Array, width: number): Float64Array {
  return ranks.map((rank, place) => at(keys, place) * width + rank);
}

/** Replaces numbers with their places among the distinct numbers of both lists. */
function denseRanks(lists: readonly [Float64Array, Float64Array]): [Float64Array, Float64Array] {
  const sorted = new Float64Array(lists[0].length + lists[1].length);
  sorted.set(lists[0]);
  sorted.set(lists[1], lists[0].length);
  sorted.sort();
  let size = 0;
  for (const value of sorted) if (size === 0 || value !== sorted[size - 1]) sorted[size++] = value;
  const rank = (value: number) => {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(sorted, middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [lists[0].map(rank), lists[1].map(rank)];
}

function ranksWhere(keys: Int32Array, ranks: Float64Array): Int32Array {
  return keys.map((key, event) => (key < 0 ? -1 : itemAt(ranks, event)));
}

/** What is done with each event of two lists, by value. */
interface Turns {
  send(sender: number): void;
  receive(receiver: number): void;
}

/** Takes senders and receivers so that each receiver comes after those that it receives from. */
export function takeTurns(ranks: ValueRanks, direction: Direction, turns: Turns): void {
  const { comparator } = ranks;
  const toB = direction === 'to b';
  const [sent, received] = toB ? [ranks.a, ranks.b] : [ranks.b, ranks.a];
  const sorted = toB ? [ranks.sortedA, ranks.sortedB] : [ranks.sortedB, ranks.sortedA];
  const isLess = comparator === '<' || comparator === '<=';
  const isStrict = comparator === '<' || comparator === '>';
  // a < b: an event of b receives from those with smaller values, one of a from those with larger ones.
  const isUp = toB === isLess;
  const [senders, receivers] = sorted.map((list) => (isUp ? list : list.toReversed())) as [
    Int32Array,
    Int32Array,
  ];
  const least = isStrict ? 1 : 0;
  const sign = isUp ? 1 : -1;
  let next = 0;
  for (const receiver of receivers) {
    const rank = at(received, receiver);
    while (next < senders.length && (rank - at(sent, at(senders, next))) * sign >= least) {
      turns.send(at(senders, next++));
    }
    turns.receive(receiver);
  }
}
