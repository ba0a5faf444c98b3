import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { findFirstAtLeast } from '../select/candidates.js';
import { Matches } from './matches.js';
import { orderIndexOf } from './order-index.js';

/** Maximum number of additional rounds if arrows form cycles in the undirected graph of labels. */
const MAX_ROUNDS = 100;

/**
 * Removes the events without a partner for some arrow, repeatedly, because a removal may leave other events without a
 * partner. If the arrows form trees, exactly the events of ordered bindings remain.
 *
 * Each round follows all arrows with changed ends, forwards and backwards: O(receives + edges) for each arrow. Each
 * round carries removals at least one label further, so trees take at most twice as many rounds as labels.
 *
 * @param arrows without directed cycles
 */
export function reduce(
  session: Session,
  lists: readonly Matches[],
  arrows: readonly (readonly [number, number])[],
): Matches[] {
  const reduced = [...lists];
  const reducedPairs = arrows.map((): readonly (Matches | undefined)[] => []);
  const arrowIndexes = [...arrows.keys()];
  const order = [...arrowIndexes, ...arrowIndexes.toReversed()];
  let isDone = false;
  for (let round = 0; !isDone && round < MAX_ROUNDS + 2 * lists.length; round++) {
    isDone = true;
    for (const position of order) {
      const [earlier, later] = arrows[position] as readonly [number, number];
      const [a, b] = [reduced[earlier] as Matches, reduced[later] as Matches];
      if (reducedPairs[position]?.[0] === a && reducedPairs[position]?.[1] === b) continue;
      isDone = false;
      const after = keepAfter(session, a, b);
      // The events removed from `b` had no partner in `a`, so their removal affects no event of `a`.
      const before = keepBefore(session, a, after);
      [reduced[earlier], reduced[later], reducedPairs[position]] = [before, after, [before, after]];
    }
  }
  return reduced;
}

/** Returns the events of `later` that come after some event of `earlier`. */
function keepAfter(session: Session, earlier: Matches, later: Matches): Matches {
  const after = findFirstAfter(session, firstOf(session, earlier));
  return narrow(session, later, (probe) => [at(after, probe), session.size]);
}

/** Returns the events of `earlier` that come before some event of `later`. */
function keepBefore(session: Session, earlier: Matches, later: Matches): Matches {
  const before = findLastBefore(session, lastOf(later));
  return narrow(session, earlier, (probe) => [0, at(before, probe) + 1]);
}

/** Returns each probe's first event in the list, or the session's size if there is none. */
function firstOf(session: Session, { events, start }: Matches): Int32Array {
  return new Int32Array(start.length - 1).map((_, probe) => {
    const position = at(start, probe);
    return position < at(start, probe + 1) ? at(events, position) : session.size;
  });
}

/** Returns each probe's last event in the list, or -1 if there is none. */
function lastOf({ events, start }: Matches): Int32Array {
  return new Int32Array(start.length - 1).map((_, probe) => {
    const position = at(start, probe + 1);
    return position > at(start, probe) ? at(events, position - 1) : -1;
  });
}

/** Returns the events of a list within each probe's range. */
function narrow(
  session: Session,
  list: Matches,
  rangeOf: (probe: number) => readonly [number, number],
): Matches {
  const keptEvents = new Int32Array(list.size);
  let size = 0;
  for (let probe = 0; probe + 1 < list.start.length; probe++) {
    const first = at(list.start, probe);
    const end = at(list.start, probe + 1);
    if (first === end) continue;
    const [from, to] = rangeOf(probe);
    const low = findFirstAtLeast(list.events, from, first, end);
    const high = findFirstAtLeast(list.events, to, low, end);
    // Copies one by one, because most timelines may have few events.
    for (let position = low; position < high; position++)
      keptEvents[size++] = at(list.events, position);
  }
  return size === list.size ? list : new Matches(session, keptEvents.slice(0, size));
}

/**
 * Returns each probe's first event after some given event, or the session's size if there is none. All later events of
 * the probe also come after a given event.
 *
 * One number per probe, one pass over the receives: O(receives + edges).
 *
 * @param first each probe's first given event, or the session's size
 */
export function findFirstAfter(session: Session, first: Int32Array): Int32Array {
  const { event, probe, edgeStart, sender, senderProbe } = orderIndexOf(session.order);
  const after = first.map((limit) => Math.min(limit + 1, session.size));
  for (let receive = 0; receive < event.length; receive++) {
    const place = at(probe, receive);
    if (at(event, receive) >= at(after, place)) continue;
    const end = at(edgeStart, receive + 1);
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      const from = at(senderProbe, edge);
      const sentEvent = at(sender, edge);
      if (sentEvent >= at(first, from) || sentEvent >= at(after, from)) {
        after[place] = at(event, receive);
        break;
      }
    }
  }
  return after;
}

/**
 * Returns each probe's last event before some given event, or -1 if there is none. All earlier events of the probe also
 * come before a given event. O(receives + edges).
 *
 * @param last each probe's last given event, or -1
 */
export function findLastBefore(session: Session, last: Int32Array): Int32Array {
  const { event, probe, edgeStart, sender, senderProbe } = orderIndexOf(session.order);
  const before = last.map((limit, position) =>
    limit > at(session.timelines.start, position) ? limit - 1 : -1,
  );
  for (let receive = event.length - 1; receive >= 0; receive--) {
    const place = at(probe, receive);
    const receivedEvent = at(event, receive);
    if (receivedEvent > at(last, place) && receivedEvent > at(before, place)) continue;
    const end = at(edgeStart, receive + 1);
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      const from = at(senderProbe, edge);
      if (at(sender, edge) > at(before, from)) before[from] = at(sender, edge);
    }
  }
  return before;
}
