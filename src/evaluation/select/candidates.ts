import { partitionPoint } from '../../basics/index.js';
import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { asRegrouped } from './regrouped.js';

const cache = new WeakMap<Session, Int32Array>();

/** Returns all events of a session that patterns can match. Computed once. */
export function allEvents(session: Session): Int32Array {
  const events =
    cache.get(session) ?? asRegrouped(session)?.visible ?? new Int32Array(session.size);
  if (!cache.has(session) && asRegrouped(session) === undefined)
    for (let event = 0; event < events.length; event++) events[event] = event;
  cache.set(session, events);
  return events;
}

/** Returns the events of an ascending list within a half-open range. */
export function eventsWithin(
  events: Int32Array,
  [from, to]: readonly [number, number],
): Int32Array {
  return events.subarray(findFirstAtLeast(events, from), findFirstAtLeast(events, to));
}

/** Returns the events of a list that pass a test. The test receives an event and its position. */
export function keep(
  events: Int32Array,
  test: (event: number, position: number) => boolean,
): Int32Array {
  const keptEvents = new Int32Array(events.length);
  let size = 0;
  for (let position = 0; position < events.length; position++) {
    const event = at(events, position);
    if (test(event, position)) keptEvents[size++] = event;
  }
  return keptEvents.slice(0, size);
}

/** Returns the union of two ascending lists, in ascending order. */
export function union(a: Int32Array, b: Int32Array): Int32Array {
  const joined = new Int32Array(a.length + b.length);
  let [i, j, size] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const x = i < a.length ? at(a, i) : Number.POSITIVE_INFINITY;
    const y = j < b.length ? at(b, j) : Number.POSITIVE_INFINITY;
    if (x <= y) i++;
    if (y <= x) j++;
    joined[size++] = Math.min(x, y);
  }
  return joined.slice(0, size);
}

/** Returns the events of an ascending list that are not in another ascending list. */
export function difference(events: Int32Array, excluded: Int32Array): Int32Array {
  let nextIndex = 0;
  return keep(events, (event) => {
    while (nextIndex < excluded.length && at(excluded, nextIndex) < event) nextIndex++;
    return excluded[nextIndex] !== event;
  });
}

/**
 * Returns the first position from `low` to `high`, exclusive, with a number of at least `value`, or `high` if there is
 * none.
 */
export function findFirstAtLeast(
  sorted: Int32Array,
  value: number,
  low = 0,
  high = sorted.length,
): number {
  return partitionPoint(low, high, (position) => at(sorted, position) < value);
}

/** Returns the positions with each key from 0 to `count`, exclusive. Skips positions with a negative key. */
export function groupPositions(keys: Int32Array, count: number): Int32Array[] {
  const members = Array.from({ length: count }, (): number[] => []);
  keys.forEach((key, position) => {
    if (key >= 0) (members[key] as number[]).push(position);
  });
  return members.map((positions) => Int32Array.from(positions));
}

/** Sorts positions by rank with a stable counting sort. Skips positions with a negative rank. */
export function sortByRank(ranks: Int32Array, count: number): Int32Array {
  const cursors = new Int32Array(count + 1);
  for (const rank of ranks) if (rank >= 0) cursors[rank + 1] = at(cursors, rank + 1) + 1;
  for (let rank = 0; rank < count; rank++)
    cursors[rank + 1] = at(cursors, rank + 1) + at(cursors, rank);
  const sortedItems = new Int32Array(at(cursors, count));
  ranks.forEach((rank, position) => {
    if (rank < 0) return;
    sortedItems[at(cursors, rank)] = position;
    cursors[rank] = at(cursors, rank) + 1;
  });
  return sortedItems;
}
