import type { Comparator } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import { compareCodePoints } from '../../source/index.js';
import { compareExact, type Exact } from '../exact/number.js';
import { type Cells, numberAt } from '../select/cells.js';
import type { Keys } from './keys.js';

/**
 * The events of two lists on one scale: first by their key, then by the value that a comparison
 * asks for. Equal slots mean equal keys and equal values.
 */
export interface Slots {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** The positions of the events that have a key, ascending by slot. */
  readonly sortedA: Int32Array;
  readonly sortedB: Int32Array;
  /** Of an event of `a` and one of `b`. */
  readonly comparator: Comparator;
}

/** Sorts both lists by key and value. O(n log n) for n events. */
export function slotsOf(
  session: Session,
  keys: Keys,
  comparator: Comparator,
  a: Cells,
  b: Cells,
): Slots {
  const ranks = [...ranksOf(session, a, b)] as [Float64Array, Float64Array];
  const [rankA, rankB] = denseRanks(ranks);
  const width = keys.a.length + keys.b.length + 1;
  // With one key, values alone tell slots apart.
  const [slotA, slotB] =
    keys.count === 1
      ? [rankA, rankB]
      : denseRanks([composite(keys.a, rankA, width), composite(keys.b, rankB, width)]);
  const slots = { a: slotsWhere(keys.a, slotA), b: slotsWhere(keys.b, slotB) };
  const sortedA = sortBySlot(slots.a, width);
  return { ...slots, sortedA, sortedB: sortBySlot(slots.b, width), comparator };
}

/** Numbers in the order of the values; those of different kinds need not compare. */
function ranksOf(session: Session, a: Cells, b: Cells): [Float64Array, Float64Array] {
  const ranks: [Float64Array, Float64Array] = [
    new Float64Array(a.kinds.length),
    new Float64Array(b.kinds.length),
  ];
  rankTexts(session, [a, b], ranks);
  const isPlain = a.exact.size === 0 && b.exact.size === 0;
  [a, b].forEach((cells, side) => {
    const rank = ranks[side] as Float64Array;
    for (let at = 0; isPlain && at < rank.length; at++) {
      // -0 is 0, also where places are told apart by their bits.
      if (cells.kinds[at] === ValueKind.float) rank[at] = (cells.numbers[at] as number) + 0;
    }
  });
  if (!isPlain) rankExactly([a, b], ranks);
  return ranks;
}

function rankTexts(
  session: Session,
  sides: readonly Cells[],
  ranks: readonly Float64Array[],
): void {
  const texts = new Set<number>();
  for (const { kinds, numbers } of sides) {
    kinds.forEach((kind, at) => {
      if (kind === ValueKind.string) texts.add(numbers[at] as number);
    });
  }
  if (texts.size === 0) return;
  const text = (index: number) => session.texts[index] as string;
  const sorted = [...texts].sort((x, y) => compareCodePoints(text(x), text(y)));
  const rankOf = new Map(sorted.map((index, rank) => [index, rank]));
  sides.forEach(({ kinds, numbers }, side) => {
    kinds.forEach((kind, at) => {
      const rank = rankOf.get(numbers[at] as number);
      if (kind === ValueKind.string) (ranks[side] as Float64Array)[at] = rank as number;
    });
  });
}

/** Numbers that doubles do not hold: sorted by comparing them. */
function rankExactly(sides: readonly Cells[], ranks: readonly Float64Array[]): void {
  const all: { value: Exact; side: number; at: number }[] = [];
  sides.forEach((cells, side) => {
    for (let at = 0; at < cells.kinds.length; at++) {
      const value = numberAt(cells, at);
      if (value !== undefined) all.push({ value, side, at });
    }
  });
  all.sort((x, y) => compareExact(x.value, y.value));
  let rank = 0;
  all.forEach(({ value, side, at }, place) => {
    const before = all[place - 1];
    if (before !== undefined && compareExact(before.value, value) !== 0) rank++;
    (ranks[side] as Float64Array)[at] = rank;
  });
}

function composite(keys: Int32Array, ranks: Float64Array, width: number): Float64Array {
  return ranks.map((rank, at) => (keys[at] as number) * width + rank);
}

/** Replaces numbers by their places among the distinct numbers of both lists. */
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
      if ((sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [lists[0].map(rank), lists[1].map(rank)];
}

function slotsWhere(keys: Int32Array, slots: Float64Array): Int32Array {
  return keys.map((key, at) => (key < 0 ? -1 : (slots[at] as number)));
}

/** The positions by their slots: a counting sort. */
function sortBySlot(slots: Int32Array, width: number): Int32Array {
  const next = new Int32Array(width + 1);
  let size = 0;
  for (const slot of slots) {
    if (slot < 0) continue;
    next[slot + 1] = (next[slot + 1] as number) + 1;
    size++;
  }
  for (let slot = 0; slot < width; slot++) {
    next[slot + 1] = (next[slot + 1] as number) + (next[slot] as number);
  }
  const sorted = new Int32Array(size);
  slots.forEach((slot, at) => {
    if (slot < 0) return;
    sorted[next[slot] as number] = at;
    next[slot] = (next[slot] as number) + 1;
  });
  return sorted;
}
