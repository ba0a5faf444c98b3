import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { firstAtLeast, positionsByKey } from '../select/candidates.js';
import {
  type Block,
  ClockColumns,
  MadeClocks,
  type SparseClocks,
  SparseRows,
  sparseClocks,
} from './clock-columns.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex, takeLarger } from './order-index.js';
import { RankTable } from './rank-table.js';

/** The keys of the events of three lists; an event without one is between no others. */
export interface ViaKeys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly via: Int32Array;
  readonly count: number;
}

/** Events that may lie between, of any key, or of the key that both ends have. */
export interface Way {
  readonly via: Matches;
  readonly keys?: ViaKeys | undefined;
}

/**
 * For each event of `b`, on each probe of `a`, how many events come before it with an event of one
 * of the ways in between: `a -> x -> b`.
 */
export class ViaColumns extends MadeClocks {
  readonly rowOf: Int32Array;
  readonly hasOwn = true;
  readonly #ways: readonly WayRanks[];
  readonly #b: Matches;

  constructor(session: Session, a: Matches, b: Matches, ways: readonly Way[]) {
    super(session, a, b.size);
    this.rowOf = Int32Array.from(b.events.keys());
    this.#b = b;
    this.#ways = ways.map(({ via, keys }) =>
      keys === undefined ? sweptWay(session, a, b, via) : keyedWay(session, a, b, via, keys),
    );
  }

  protected override findSparse(): SparseClocks | undefined {
    const { limits, timelines } = this.index;
    const most = this.rows * this.sources.length * limits.density;
    const rows = new SparseRows(this.rows, timelines, most);
    const ways = this.#ways.map((way) => way.sparse());
    const isSparse = this.#b.events.every((_, next) => {
      for (const way of ways) way?.(rows, next);
      return rows.end();
    });
    return isSparse && !ways.includes(undefined) ? rows : undefined;
  }

  protected override get swept(): number {
    return this.index.event.length + this.rows;
  }

  protected override fill(block: Block, first: number): void {
    for (const way of this.#ways) way.fill(block, first);
  }
}

/** What comes before the events of `b` by one way. */
interface WayRanks {
  /** Raises the ranks of a block whose columns begin with one of the sources. */
  fill(block: Block, first: number): void;
  /** How to raise a sparse row to what an event of `b` knows; undefined if that is not sparse. */
  sparse(): ((rows: SparseRows, next: number) => void) | undefined;
}

/**
 * For any key, by one pass over the receives: what has come through an event of `via` is what that
 * event knew, its clock. A receive knows of this what the one before it on its probe knew, and its
 * senders; after an event of `via`, it is that event's clock.
 *
 * O((receives + edges + events of b) * probes of a).
 */
function sweptWay(session: Session, a: Matches, b: Matches, via: Matches): WayRanks {
  const index = indexOf(session.order);
  const clocks = new ClockColumns(session, a, via);
  const ownRank = Int32Array.from(via.events, (event, place) =>
    a.before(event, at(via.probes, place)),
  );
  const ofSenders = viasOfSenders(session, index, via);
  const { ofReceives, ofB } = viasBefore(session, index, b, via);
  const fill: WayRanks['fill'] = ({ probes, columnOf, ranks }, first) => {
    const { row, previousRow, edgeStart, senderRow, columns } = index;
    const width = probes.length;
    const { ranks: clock } = clocks.block(first);
    // The rows of the receives, followed by the clocks of the events of `via`.
    const clocksFrom = index.rows.length;
    const rows = new Int32Array(clocksFrom + clock.length + 3);
    rows.set(clock, clocksFrom);
    /** The place of what has come to a receive, by its row, or through an event of `via` after it. */
    const come = (by: number, row: number): number => {
      if (by < 0) return row * columns;
      const segment = at(via.segments.of, by);
      return segment < 0 ? 0 : clocksFrom + segment * width;
    };
    /** Adds what an event of `via` knows of its own probe, which is in no row. */
    const raise = (into: Int32Array, to: number, by: number): void => {
      const column = by < 0 ? -1 : at(columnOf, at(via.probes, by));
      if (column >= 0 && at(ownRank, by) > at(into, to + column)) {
        into[to + column] = at(ownRank, by);
      }
    };
    const give = (next: number, row: number): void => {
      const by = at(ofB.by, next);
      const from = come(by, row);
      const to = next * width;
      for (let column = 0; column < width; column++) {
        const rank = at(rows, from + column);
        if (rank > at(ranks, to + column)) ranks[to + column] = rank;
      }
      raise(ranks, to, by);
    };
    for (let receive = 0; receive < row.length; receive++) {
      const own = at(row, receive) * columns;
      const by = at(ofReceives, receive);
      let from = come(by, at(previousRow, receive));
      for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
        const sentBy = at(ofSenders, edge);
        takeLarger(rows, own, from, come(sentBy, at(senderRow, edge)), width);
        raise(rows, own, sentBy);
        from = own;
      }
      raise(rows, own, by);
      for (let next = at(ofB.first, receive); next < at(ofB.end, receive); next++) {
        give(next, at(row, receive));
      }
    }
    // Row 0 holds zeros: before its first receive, a probe knows only its own events.
    b.segments.of.forEach((segment, next) => {
      if (segment < 0) give(next, 0);
    });
  };
  const sparse = () => {
    const known = sparseClocks(index, a);
    if (known === undefined) return undefined;
    const { probe, previous, senderAt, edgeStart, limits } = index;
    const most = probe.length * a.sources.length * limits.density;
    const come = new SparseRows(probe.length, index.timelines, most);
    /** Takes what has come to a receive, by its place from 1, or through an event of `via` after it. */
    const take = (rows: SparseRows, by: number, place: number): void => {
      if (by < 0) {
        rows.take(come, place);
        return;
      }
      rows.take(known, via.receiveBefore(by));
      rows.raise(at(via.probes, by), at(ownRank, by));
    };
    for (let receive = 0; receive < probe.length; receive++) {
      take(come, at(ofReceives, receive), at(previous, receive));
      for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
        take(come, at(ofSenders, edge), at(senderAt, edge));
      }
      if (!come.end()) return undefined;
    }
    return (rows: SparseRows, next: number) => take(rows, at(ofB.by, next), b.receiveBefore(next));
  };
  return { fill, sparse };
}

/** For each edge, the last event of `via` that is its sender or between that and the last receive; or -1. */
function viasOfSenders(
  { timelines: { start } }: Session,
  index: OrderIndex,
  via: Matches,
): Int32Array {
  const { event, bySender, sender, senderAt, senderProbe } = index;
  const last = new Int32Array(sender.length).fill(-1);
  let next = 0;
  for (const edge of bySender) {
    while (next < via.size && at(via.events, next) <= at(sender, edge)) next++;
    const before = at(senderAt, edge);
    const from = before === 0 ? at(start, at(senderProbe, edge)) : at(event, before - 1);
    if (next > 0 && at(via.events, next - 1) >= from) last[edge] = next - 1;
  }
  return last;
}

/**
 * For each receive, the last event of `via` that is between it and the receive before it, or is the
 * latter; else -1. The same for each event of `b`; and for each receive, the events of `b` that
 * follow it before another receive does.
 */
function viasBefore(session: Session, index: OrderIndex, b: Matches, via: Matches) {
  const {
    order,
    timelines: { start },
  } = session;
  const count = order.receives.length;
  const ofReceives = new Int32Array(count).fill(-1);
  const ofB = {
    first: new Int32Array(count),
    end: new Int32Array(count),
    by: new Int32Array(b.size).fill(-1),
  };
  for (let probe = 0; probe + 1 < start.length; probe++) {
    let receive = at(order.receiveStart, probe);
    const lastReceive = at(order.receiveStart, probe + 1);
    let next = at(via.start, probe);
    const lastVia = at(via.start, probe + 1);
    let place = at(b.start, probe);
    const lastB = at(b.start, probe + 1);
    let by = -1;
    /** Goes through the events of `via` before an event. */
    const pass = (event: number): void => {
      while (next < lastVia && at(via.events, next) < event) by = next++;
    };
    /** Goes through the events of `b` before the next receive. */
    const passB = (event: number): void => {
      for (; place < lastB && at(b.events, place) < event; place++) {
        pass(at(b.events, place));
        ofB.by[place] = by;
      }
    };
    passB(receive < lastReceive ? at(order.receives, receive) : session.size);
    for (; receive < lastReceive; receive++) {
      const own = at(index.placeOf, receive);
      pass(at(order.receives, receive));
      ofReceives[own] = by;
      by = -1;
      ofB.first[own] = place;
      passB(receive + 1 < lastReceive ? at(order.receives, receive + 1) : session.size);
      ofB.end[own] = place;
    }
  }
  return { ofReceives, ofB };
}

/**
 * For events of one key: for each event of `b`, the last events of `via` of its key before it, on
 * each probe, and what comes before those.
 *
 * O(log events) for each event of `b`, each probe with events of `via` of its key, and each probe with
 * events of `a` of its key.
 */
function keyedWay(session: Session, a: Matches, b: Matches, via: Matches, keys: ViaKeys): WayRanks {
  const before = new RankTable(session, via, b);
  const known = new RankTable(session, a, via);
  const probesOfA = probesByKey(a, keys.a, keys.count);
  const byKey = positionsByKey(keys.via, keys.count);
  return {
    fill({ columnOf, probes, ranks }) {
      for (let next = 0; next < b.size; next++) {
        const key = at(keys.b, next);
        if (key < 0) continue;
        for (const last of lastBefore(via, byKey[key] as Int32Array, before, next)) {
          for (const probe of probesOfA[key] as readonly number[]) {
            const column = at(columnOf, probe);
            if (column < 0) continue;
            const rank = known.endBefore(last, probe) - at(a.start, probe);
            const place = next * probes.length + column;
            if (rank > at(ranks, place)) ranks[place] = rank;
          }
        }
      }
    },
    sparse() {
      const index = indexOf(session.order);
      const [ofVia, ofA] = [sparseClocks(index, via), sparseClocks(index, a)];
      if (ofVia === undefined || ofA === undefined) return undefined;
      /** Raises a row to what the last event of `via` among the first `rank` of a timeline knows. */
      const take = (rows: SparseRows, key: number, timeline: number, rank: number): void => {
        const positions = byKey[key] as Int32Array;
        const start = at(via.start, timeline);
        const first = firstAtLeast(positions, start);
        const end = firstAtLeast(positions, start + rank, first);
        if (end === first) return;
        const last = at(positions, end - 1);
        rows.take(ofA, via.receiveBefore(last));
        rows.raise(timeline, a.before(at(via.events, last), timeline));
      };
      return (rows, next) => {
        const [key, own, place] = [at(keys.b, next), at(b.probes, next), b.receiveBefore(next)];
        if (key < 0) return;
        take(rows, key, own, via.before(at(b.events, next), own));
        const end = at(ofVia.start, place);
        for (let entry = at(ofVia.start, Math.max(place - 1, 0)); entry < end; entry++) {
          take(rows, key, at(ofVia.timeline, entry), at(ofVia.rank, entry));
        }
      };
    },
  };
}

function probesByKey(list: Matches, keys: Int32Array, count: number): number[][] {
  const all = Array.from({ length: count }, (): number[] => []);
  keys.forEach((key, place) => {
    const own = all[key];
    const probe = at(list.probes, place);
    if (own !== undefined && own.at(-1) !== probe) own.push(probe);
  });
  return all;
}

/** On each probe, the last of some positions of `via` that is before the event of `b` at a position. */
function* lastBefore(
  via: Matches,
  positions: Int32Array,
  before: RankTable,
  next: number,
): Generator<number> {
  for (let from = 0; from < positions.length; ) {
    const probe = at(via.probes, at(positions, from));
    const end = firstAtLeast(positions, at(via.start, probe + 1), from);
    const last = firstAtLeast(positions, before.endBefore(next, probe), from, end);
    if (last > from) yield at(positions, last - 1);
    from = end;
  }
}
