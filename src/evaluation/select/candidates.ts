import { partitionPoint } from '../../basics/index.js';
import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { regrouped } from './regrouped.js';

const cache = new WeakMap<Session, Int32Array>();

/** Returns all events of a session that patterns may match, computed once. */
export function allEvents(session: Session): Int32Array {
  const events = cache.get(session) ?? regrouped(session)?.visible ?? new Int32Array(session.size);
  if (!cache.has(session) && regrouped(session) === undefined)
    for (let event = 0; event < events.length; event++) events[event] = event;
  cache.set(session, events);
  return events;
}

/** Returns the events of a list, ascending, within a range whose end is excluded. */
export function within(events: Int32Array, [from, to]: readonly [number, number]): Int32Array {
  return events.subarray(firstAtLeast(events, from), firstAtLeast(events, to));
}

/** Keeps the events of a list that pass a test, which receives the event and its position. */
export function keep(
  events: Int32Array,
  test: (event: number, position: number) => boolean,
): Int32Array {
  const kept = new Int32Array(events.length);
  let size = 0;
  for (let position = 0; position < events.length; position++) {
    const event = at(events, position);
    if (test(event, position)) kept[size++] = event;
  }
  return kept.slice(0, size);
}

/** Returns the events of either list, ascending. */
export function union(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  let [i, j, size] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const x = i < a.length ? at(a, i) : Number.POSITIVE_INFINITY;
    const y = j < b.length ? at(b, j) : Number.POSITIVE_INFINITY;
    if (x <= y) i++;
    if (y <= x) j++;
    both[size++] = Math.min(x, y);
  }
  return both.slice(0, size);
}

/** Returns the events of one list, ascending, that are not in another. */
export function difference(all: Int32Array, without: Int32Array): Int32Array {
  let next = 0;
  return keep(all, (event) => {
    while (next < without.length && at(without, next) < event) next++;
    return without[next] !== event;
  });
}

/** Returns the first position from `low` on with `value` or more; `high` if there is none before that. */
export function firstAtLeast(
  sorted: Int32Array,
  value: number,
  low = 0,
  high = sorted.length,
): number {
  return partitionPoint(low, high, (position) => at(sorted, position) < value);
}

/** Returns, for each key, counted from 0, the positions that have it; a key below 0 stands for none. */
export function positionsByKey(keys: Int32Array, count: number): Int32Array[] {
  const all = Array.from({ length: count }, (): number[] => []);
  keys.forEach((key, position) => {
    if (key >= 0) (all[key] as number[]).push(position);
  });
  return all.map((positions) => Int32Array.from(positions));
}

/** Sorts the positions that have a rank by it: a counting sort, as stable as `sort` is. */
export function sortByRank(ranks: Int32Array, count: number): Int32Array {
  const next = new Int32Array(count + 1);
  for (const rank of ranks) if (rank >= 0) next[rank + 1] = at(next, rank + 1) + 1;
  for (let rank = 0; rank < count; rank++) next[rank + 1] = at(next, rank + 1) + at(next, rank);
  const sorted = new Int32Array(at(next, count));
  ranks.forEach((rank, position) => {
    if (rank < 0) return;
    sorted[at(next, rank)] = position;
    next[rank] = at(next, rank) + 1;
  });
  return sorted;
}
