import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { ClockColumns, LazyClocks } from '../order/clock-columns.js';
import {
  type Block,
  type ClockRowBuilder,
  computeReceiveRows,
  DenseRows,
  rankSends,
  SparseRows,
} from '../order/clock-rows.js';
import type { Matches } from '../order/matches.js';
import { orderIndexOf } from '../order/order-index.js';
import { KeyRuns } from './key-runs.js';
import type { Keys } from './value-ranks.js';

/** The keys of the events of three lists. An event without a key is -1, and is not in between any events. */
export interface IntermediateKeys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly via: Int32Array;
  readonly count: number;
}

/** Events that may lie between the two ends, with any key or with the key of both ends. */
export interface IntermediateEvents {
  readonly via: Matches;
  readonly keys?: IntermediateKeys | undefined;
}

/**
 * A function that prepares a way. Returns a function that merges the clock of an event of `b`, given by its position,
 * into a row. Returns undefined if there are too many entries.
 */
type WayOf = <Rows extends ClockRowBuilder<Rows>>(
  newRows: NewRows<Rows>,
) => ((rows: Rows, receive: number) => void) | undefined;

type NewRows<Rows> = (count: number) => Rows;

/**
 * The clocks of `b` over `a` through other events. For each event of `b`, the number of events of `a` on each probe
 * with an event of some way in between, as in `a -> x -> b`.
 */
export class ViaClocks extends LazyClocks {
  readonly rowOf: Int32Array;
  readonly hasOwn = true;
  readonly #ways: readonly WayOf[];
  readonly #most: number;

  constructor(session: Session, a: Matches, b: Matches, ways: readonly IntermediateEvents[]) {
    super(session, a, b.size);
    this.rowOf = Int32Array.from(b.events.keys());
    this.#most = Math.max(...ways.map(({ via }) => via.size));
    this.#ways = ways.map(({ via, keys }): WayOf => {
      if (keys !== undefined) return raiseByKey(session, a, b, via, keys);
      return (newRows) => raiseAny(session, a, b, via, newRows);
    });
  }

  protected override findSparse(): SparseRows | undefined {
    return this.#rows((count) => new SparseRows(count, this.index, this.sources.length));
  }

  protected override get swept(): number {
    return this.index.event.length + this.rows;
  }

  protected override get held(): number {
    return Math.max(this.swept, this.#most);
  }

  protected override make(probes: Int32Array, columnOf: Int32Array): Block {
    return this.#rows((count) => new DenseRows(count, probes, columnOf)) as Block;
  }

  #rows<Rows extends ClockRowBuilder<Rows>>(newRows: NewRows<Rows>): Rows | undefined {
    const ways = this.#ways.map((makeWay) => makeWay(newRows));
    if (ways.includes(undefined)) return undefined;
    const rows = newRows(this.rows);
    for (let receive = 0; receive < this.rows; receive++) {
      for (const raise of ways) raise?.(rows, receive);
      if (!rows.end()) return undefined;
    }
    return rows;
  }
}

/**
 * Prepares a way without keys, in one pass over the receives. A receive's row merges the rows of the previous receive
 * on its probe and of its senders. After an event of `via`, this event's clock replaces the row. O(entries).
 */
function raiseAny<Rows extends ClockRowBuilder<Rows>>(
  session: Session,
  a: Matches,
  b: Matches,
  via: Matches,
  newRows: NewRows<Rows>,
): ((rows: Rows, receive: number) => void) | undefined {
  const index = orderIndexOf(session.order);
  const { event, probe, previous, senderAt, sender, senderProbe, edgeStart } = index;
  const clocks = computeReceiveRows(index, newRows(event.length), rankSends(index, a));
  if (clocks === undefined) return undefined;
  const arrivals = newRows(event.length);
  /**
   * Merges the row that applies before an event of a probe. This is the row of the last receive on the probe or, if
   * `via` has events after this receive, the clock of the last such event.
   */
  const take = (rows: Rows, receive: number, eventBefore: number, ownProbe: number): void => {
    const last = at(via.start, ownProbe) + via.before(eventBefore, ownProbe) - 1;
    const since = receive === 0 ? 0 : at(event, receive - 1);
    if (last < at(via.start, ownProbe) || at(via.events, last) < since) {
      rows.take(arrivals, receive);
      return;
    }
    rows.take(clocks, via.receiveBefore(last));
    rows.raise(ownProbe, a.before(at(via.events, last), ownProbe));
  };
  for (let receive = 0; receive < event.length; receive++) {
    take(arrivals, at(previous, receive), at(event, receive), at(probe, receive));
    for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
      take(arrivals, at(senderAt, edge), at(sender, edge) + 1, at(senderProbe, edge));
    }
    if (!arrivals.end()) return undefined;
  }
  return (rows, receive) =>
    take(rows, b.receiveBefore(receive), at(b.events, receive), at(b.probes, receive));
}

/**
 * Prepares a way with keys. The row of an event of `b` merges the rows of the last preceding event of `via` with the
 * same key on each probe. The row of an event of `via` counts the preceding events of `a` up to the last event with the
 * same key.
 */
function raiseByKey(
  session: Session,
  a: Matches,
  b: Matches,
  via: Matches,
  { count, ...keys }: IntermediateKeys,
): WayOf {
  const forEachOfA = lastOfKey(session, a, via, { a: keys.a, b: keys.via, count });
  const forEachVia = lastOfKey(session, via, b, { a: keys.via, b: keys.b, count });
  return (newRows) => {
    const viaRows = newRows(via.size);
    for (let event = 0; event < via.size; event++) {
      forEachOfA(event, (last) => {
        const probe = at(a.probes, last);
        viaRows.raise(probe, last + 1 - at(a.start, probe));
      });
      if (!viaRows.end()) return undefined;
    }
    return (rows, receive) => forEachVia(receive, (last) => rows.take(viaRows, last + 1));
  };
}

/**
 * Returns a function that visits, for an event of `later`, the last preceding event of `earlier` with the same key on
 * each probe.
 */
function lastOfKey(session: Session, earlier: Matches, later: Matches, keys: Keys) {
  const runs = new KeyRuns(earlier, later, keys, new ClockColumns(session, earlier, later));
  const passes = [...runs.passes()];
  return (event: number, visit: (last: number) => void): void => {
    for (const pass of passes) {
      const parts = runs.findParts(event, pass);
      for (let part = 0; part < parts; part++) visit(at(runs.positions, at(runs.ends, part) - 1));
    }
  };
}
