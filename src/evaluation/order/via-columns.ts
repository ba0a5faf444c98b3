import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { firstAtLeast } from '../select/candidates.js';
import {
  areKept,
  type Block,
  type ClockColumns,
  type Clocks,
  copyClock,
  expectSweepable,
  sentRanks,
  takeLarger,
} from './clock-columns.js';
import type { Matches } from './matches.js';
import { indexOf, type OrderIndex } from './order-index.js';
import { RankTable } from './rank-table.js';

/** The events of three lists by keys; an event without one is between no others. */
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
 * For each event of `b`, on each probe of `a`, how many of its events come before it with an event
 * of one of the ways between: `a -> x -> b`.
 */
export class ViaColumns implements Clocks {
  readonly rowOf: Int32Array;
  readonly rows: number;
  readonly hasOwn = true;
  readonly #sources: Int32Array;
  readonly #fills: readonly Fill[];
  readonly #columns: number;
  readonly #probes: number;
  readonly #kept: Block[] | undefined;

  /** @param clocks of the same lists, which the pass for the first way then fills too */
  constructor(
    session: Session,
    a: Matches,
    b: Matches,
    ways: readonly Way[],
    clocks?: ClockColumns,
  ) {
    this.#probes = session.timelines.probe.length;
    this.rows = b.size;
    this.rowOf = Int32Array.from(b.events.keys());
    this.#sources = a.sources;
    const index = indexOf(session.order);
    expectSweepable(this.#sources.length, index.event.length + b.size);
    this.#kept = areKept(index, b.size, this.#sources.length) ? [] : undefined;
    this.#columns = index.columns;
    const swept = ways.filter(({ keys }) => keys === undefined);
    this.#fills = [
      ...swept.map(({ via }) => sweptWay(session, a, b, via)),
      ...ways.flatMap(({ via, keys }) =>
        keys === undefined ? [] : [keyedWay(session, a, b, via, keys)],
      ),
    ];
    if (swept.length > 0 && this.#kept !== undefined) {
      clocks?.sweepBy((clock, segmentAt) => this.#fill(clock.probes, { clock, segmentAt }));
    }
  }

  passes(): Iterable<Block> {
    return this.blocks();
  }

  *blocks(): Generator<Block> {
    for (let first = 0; first < this.#sources.length; first += this.#columns) {
      const kept = this.#kept?.find(({ probes }) => probes[0] === this.#sources[first]);
      yield kept ?? this.#fill(this.#sources.subarray(first, first + this.#columns));
    }
  }

  #fill(probes: Int32Array, beside?: Beside): Block {
    const columnOf = new Int32Array(this.#probes).fill(-1);
    probes.forEach((probe, column) => {
      columnOf[probe] = column;
    });
    const block = { probes, columnOf, ranks: new Int32Array(this.rows * probes.length) };
    this.#fills.forEach((fill, at) => {
      fill(block, at === 0 ? beside : undefined);
    });
    this.#kept?.push(block);
    return block;
  }
}

/** A block of the clocks themselves, to be filled on the way. */
interface Beside {
  readonly clock: Block;
  readonly segmentAt: Int32Array;
}

type Fill = (block: Block, beside?: Beside) => void;

/**
 * For any key, by one pass over the receives: what has come by an event of `via` is what that event
 * knew, the clock there. A receive knows of it what the one before it on its probe knew, and its
 * senders; after an event of `via` it is the clock.
 *
 * O((receives + edges + events of b) * probes of a).
 */
function sweptWay(session: Session, a: Matches, b: Matches, via: Matches): Fill {
  const index = indexOf(session.order);
  const sentRank = sentRanks(index, a);
  const rankOf = ranksOn(a, via);
  const sentVia = viasOfSenders(session, index, via, rankOf);
  const { ofReceives, ofB } = viasBefore(session, index, b, via, rankOf);
  return ({ probes, columnOf, ranks }, beside) => {
    const { probe, row, previousRow, edgeStart, senderProbe, senderRow, columns } = index;
    const width = probes.length;
    // Below the rows of clocks, those of what has come by `via`.
    const below = index.rows.length;
    const rows = new Int32Array(2 * below);
    const raise = (to: number, of: number, rank: number): void => {
      const column = rank < 0 ? -1 : at(columnOf, of);
      if (column >= 0 && rank > at(rows, to + column)) rows[to + column] = rank;
    };
    const give = (to: number, from: number, of: number, rank: number): void => {
      for (let column = 0; column < width; column++) {
        const known = at(rows, from + column);
        if (known > at(ranks, to + column)) ranks[to + column] = known;
      }
      const column = rank < 0 ? -1 : at(columnOf, of);
      if (column >= 0 && rank > at(ranks, to + column)) ranks[to + column] = rank;
    };
    for (let receive = 0; receive < row.length; receive++) {
      const own = at(row, receive) * columns;
      const rank = at(ofReceives, receive);
      let known = at(previousRow, receive) * columns;
      let come = rank < 0 ? below + known : known;
      const end = at(edgeStart, receive + 1);
      for (let edge = at(edgeStart, receive); edge < end; edge++) {
        const from = at(senderRow, edge) * columns;
        const sent = at(sentVia, edge);
        takeLarger(rows, own, known, from, width);
        takeLarger(rows, below + own, come, sent < 0 ? below + from : from, width);
        raise(own, at(senderProbe, edge), at(sentRank, edge));
        raise(below + own, at(senderProbe, edge), sent);
        [known, come] = [own, below + own];
      }
      raise(below + own, at(probe, receive), rank);
      const segment = beside === undefined ? -1 : at(beside.segmentAt, receive);
      if (beside !== undefined && segment >= 0) {
        copyClock(beside.clock, segment, rows, own, at(probe, receive));
      }
      for (let next = at(ofB.first, receive); next < at(ofB.end, receive); next++) {
        const rank = at(ofB.rank, next);
        give(next * width, rank < 0 ? below + own : own, at(probe, receive), rank);
      }
    }
    // Row 0 holds zeros: before its first receive a probe knows its own events alone.
    b.segments.of.forEach((segment, next) => {
      if (segment < 0) give(next * width, 0, at(b.probes, next), at(ofB.rank, next));
    });
  };
}

/** For each event of `via` how many of `a` come before it on its own probe. */
function ranksOn(a: Matches, via: Matches): Int32Array {
  return Int32Array.from(via.events, (event, place) => a.before(event, at(via.probes, place)));
}

/**
 * For each edge, if an event of `via` is the sender, or between it and the receive before it: what the
 * last one knows of its own probe; else -1.
 */
function viasOfSenders(
  { order, timelines: { start } }: Session,
  index: OrderIndex,
  via: Matches,
  rankOf: Int32Array,
): Int32Array {
  const { bySender, sender } = index;
  const received = new Int32Array(sender.length);
  let edge = 0;
  for (const receive of order.topological) {
    const end = at(order.edgeStart, receive + 1);
    for (let from = at(order.edgeStart, receive); from < end; from++, edge++) {
      const before = at(order.edgeReceive, from);
      received[edge] =
        before < 0 ? at(start, at(order.edgeTimeline, from)) : at(order.receives, before);
    }
  }
  const ranks = new Int32Array(sender.length).fill(-1);
  let next = 0;
  for (const edge of bySender) {
    while (next < via.size && at(via.events, next) <= at(sender, edge)) next++;
    if (next > 0 && at(via.events, next - 1) >= at(received, edge))
      ranks[edge] = at(rankOf, next - 1);
  }
  return ranks;
}

/**
 * For each receive, if an event of `via` is between it and the receive before it, or is that: what the
 * last one knows of its own probe; else -1. For each event of `b` the same, and for each receive the
 * events of `b` that follow it before another one does.
 */
function viasBefore(
  session: Session,
  index: OrderIndex,
  b: Matches,
  via: Matches,
  rankOf: Int32Array,
) {
  const {
    order,
    timelines: { start },
  } = session;
  const count = order.receives.length;
  const ofReceives = new Int32Array(count).fill(-1);
  const ofB = {
    first: new Int32Array(count),
    end: new Int32Array(count),
    rank: new Int32Array(b.size).fill(-1),
  };
  for (let probe = 0; probe + 1 < start.length; probe++) {
    let receive = at(order.receiveStart, probe);
    const lastReceive = at(order.receiveStart, probe + 1);
    let next = at(via.start, probe);
    const lastVia = at(via.start, probe + 1);
    let place = at(b.start, probe);
    const lastB = at(b.start, probe + 1);
    let rank = -1;
    /** Meets the events of `via` before an event. */
    const pass = (event: number): void => {
      while (next < lastVia && at(via.events, next) < event) rank = at(rankOf, next++);
    };
    /** Meets the events of `b` before the next receive. */
    const passB = (event: number): void => {
      for (; place < lastB && at(b.events, place) < event; place++) {
        pass(at(b.events, place));
        ofB.rank[place] = rank;
      }
    };
    passB(receive < lastReceive ? at(order.receives, receive) : session.size);
    for (; receive < lastReceive; receive++) {
      const own = at(index.placeOf, receive);
      pass(at(order.receives, receive));
      ofReceives[own] = rank;
      rank = -1;
      ofB.first[own] = place;
      passB(receive + 1 < lastReceive ? at(order.receives, receive + 1) : session.size);
      ofB.end[own] = place;
    }
  }
  return { ofReceives, ofB };
}

/**
 * For events of one key: of each event of `b` the last ones of `via` of its key before it, on each
 * probe, and what comes before these.
 *
 * O(log events) for each event of `b`, each probe with events of `via` of its key, and each probe with
 * events of `a` of its key.
 */
function keyedWay(session: Session, a: Matches, b: Matches, via: Matches, keys: ViaKeys): Fill {
  const before = new RankTable(session, via, b);
  const known = new RankTable(session, a, via);
  const probesOfA = probesByKey(a, keys.a, keys.count);
  const byKey = positionsByKey(keys.via, keys.count);
  return ({ columnOf, probes, ranks }) => {
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

function positionsByKey(keys: Int32Array, count: number): Int32Array[] {
  const all = Array.from({ length: count }, (): number[] => []);
  keys.forEach((key, place) => {
    all[key]?.push(place);
  });
  return all.map((positions) => Int32Array.from(positions));
}

/** On each probe the last of some positions of `via` that is before the event of `b` at a position. */
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
