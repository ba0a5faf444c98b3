import { quote } from '../../diagnostics/index.js';
import { type Column, integerAt, type Session, ValueKind } from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';
import { ClockColumns } from '../order/clock-columns.js';
import { Matches } from '../order/matches.js';
import { allEvents } from '../select/candidates.js';
import { type Database, EngineError, literal } from './database.js';

/**
 * Maximum number of timelines. A clock has an entry for each timeline, so the clocks' size grows with the square of the
 * number of timelines.
 */
const MAX_TIMELINES = 1_000;

/*
 * The column `probe` holds a timeline's number. An event's attributes are in one map per kind, because any text may be
 * a name, and a name may have values of several kinds. Integers have 128 bits, so no integer is rounded.
 */
const TABLES: readonly string[] = [
  `create table if not exists perturb_events (
    session String,
    probe UInt32,
    probe_name LowCardinality(String),
    seq UInt32,
    seg UInt32,
    name LowCardinality(Nullable(String)),
    integers Map(LowCardinality(String), Int128),
    floats Map(LowCardinality(String), Float64),
    strings Map(LowCardinality(String), String),
    booleans Map(LowCardinality(String), Bool),
    others Map(LowCardinality(String), String)
  ) engine = MergeTree order by (session, probe, seq)`,
  `create table if not exists perturb_clocks (
    session String,
    seg UInt32,
    probe UInt32,
    first UInt32,
    clock Array(UInt32)
  ) engine = MergeTree order by (session, seg, first)`,
  `create table if not exists perturb_sessions (
    session String,
    name String,
    source String,
    probes UInt32,
    events UInt64,
    receives UInt64,
    loaded DateTime64(3) default now64(3)
  ) engine = MergeTree order by session`,
];

/** The result of loading a session. */
export interface LoadResult {
  /** False if the server already had the session. */
  readonly loaded: boolean;
  readonly events: number;
}

/**
 * Loads a session into the server's tables, unless the server has it already. First removes the remains of an
 * interrupted load. Inserts the row in `perturb_sessions` last, so an incomplete session is never measured.
 *
 * @throws {EngineError} for more than 1,000 timelines, and for values that the tables cannot store
 * @param id the session's name on the server, which identifies the session by a digest of the file
 */
export async function loadSession(db: Database, id: string, session: Session): Promise<LoadResult> {
  const timelines = session.timelines.probe.length;
  if (timelines > MAX_TIMELINES) {
    throw new EngineError(
      `the session has ${timelines} timelines, but a server supports at most ${MAX_TIMELINES}, because each event has a clock with an entry for every timeline. Measure the session without --engine, or import its spans with --order time`,
    );
  }
  for (const statement of TABLES) await db.command(statement);
  if (await isLoaded(db, id)) return { loaded: false, events: session.size };
  await removeLeftovers(db, id);
  if (session.size > 0) await db.insert('perturb_events', eventRows(id, session));
  if (session.order.receives.length > 0) {
    await db.insert('perturb_clocks', clockRows(id, session));
  }
  await refuseDuplicates(db, id, session.size);
  await db.command(
    `insert into perturb_sessions (session, name, source, probes, events, receives) values (${literal(id)}, ${literal(session.name ?? '')}, ${literal(session.source ?? '')}, ${timelines}, ${session.size}, ${session.order.receives.length})`,
  );
  return { loaded: true, events: session.size };
}

/**
 * Removes a session if another load in parallel duplicated its rows. Accepts missing rows, which may arrive later on a
 * cluster.
 *
 * @throws {EngineError} for duplicate rows
 */
async function refuseDuplicates(db: Database, id: string, size: number): Promise<void> {
  const condition = `where session = ${literal(id)}`;
  const [[events] = [0]] = await db.rows(`select count() from perturb_events ${condition}`);
  const [[clocks] = [0]] = await db.rows(
    `select count() - uniqExact(seg, first) from perturb_clocks ${condition}`,
  );
  if (Number(events) <= size && Number(clocks) === 0) return;
  await removeSession(db, id);
  throw new EngineError(
    'the session was removed, because it was loaded twice at the same time: load it again',
  );
}

/**
 * Returns true if a session is loaded completely.
 *
 * @throws {EngineError} for a server that does not answer like ClickHouse
 */
export async function isLoaded(db: Database, id: string): Promise<boolean> {
  const [answer] = await db.rows('exists table perturb_sessions');
  if (answer === undefined) throw new EngineError('the server does not respond like ClickHouse');
  if (Number(answer[0]) === 0) return false;
  const query = `select count() from perturb_sessions where session = ${literal(id)}`;
  return Number((await db.rows(query))[0]?.[0]) > 0;
}

/** Removes a session, starting with the row that marks it as complete. */
export async function removeSession(db: Database, id: string): Promise<void> {
  await remove(db, id, ['perturb_sessions', 'perturb_clocks', 'perturb_events']);
}

/**
 * Removes the remains of an interrupted load. A load inserts events first, so only sessions with events have remains.
 */
async function removeLeftovers(db: Database, id: string): Promise<void> {
  const query = `select count() from perturb_events where session = ${literal(id)}`;
  if (Number((await db.rows(query))[0]?.[0]) === 0) return;
  await remove(db, id, ['perturb_clocks', 'perturb_events']);
}

async function remove(db: Database, id: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await db.command(
      `alter table ${table} delete where session = ${literal(id)} settings mutations_sync = 2`,
    );
  }
}

type Cells = Record<string, string | boolean>;
type CellsByKind = readonly [Cells, Cells, Cells, Cells, Cells];

function* eventRows(id: string, session: Session): Generator<readonly unknown[]> {
  const { probes, timelines, order, texts } = session;
  const columns = [...session.columns]
    .filter(([name]) => name !== 'probe')
    .map(([name, column]) => [wellFormed(name), column] as const);
  for (const [probe, owner] of timelines.probe.entries()) {
    const probeName = probes[owner] as string;
    // The key of the timeline's name is `probe`, because no attribute has this name. An attribute may be called
    // `timeline` if no timeline has a name.
    const timeline = texts[at(timelines.name, probe)];
    let receive = at(order.receiveStart, probe);
    const lastReceive = at(order.receiveStart, probe + 1);
    const firstEvent = at(timelines.start, probe);
    for (let event = firstEvent; event < at(timelines.start, probe + 1); event++) {
      while (receive < lastReceive && at(order.receives, receive) <= event) receive++;
      // Segments count from 1. Segment 0 precedes the timeline's first receive.
      const segment = receive === order.receiveStart[probe] ? 0 : receive;
      const { name, maps } = attributeMaps(session, columns, event);
      if (timeline !== undefined) maps[2]['probe'] = timeline;
      yield [id, probe, wellFormed(probeName), event - firstEvent + 1, segment, name, ...maps];
    }
  }
}

function attributeMaps(
  { texts }: Session,
  columns: readonly (readonly [string, Column])[],
  event: number,
): { readonly name: string | null; readonly maps: CellsByKind } {
  // The maps have no prototype, because an attribute may be called `__proto__`.
  const cells = (): Cells => Object.create(null);
  const maps = [cells(), cells(), cells(), cells(), cells()] as const;
  const [integers, floats, strings, booleans, otherMap] = maps;
  let eventName: string | null = null;
  for (const [name, column] of columns) {
    const number = itemAt(column.numbers, event);
    switch (column.kinds[event]) {
      case ValueKind.integer:
        integers[name] = int128(name, integerAt(column, event));
        break;
      case ValueKind.float:
        floats[name] = floatText(number);
        break;
      case ValueKind.string:
        if (name === 'name') eventName = wellFormed(texts[number] as string);
        else strings[name] = wellFormed(texts[number] as string);
        break;
      case ValueKind.boolean:
        booleans[name] = number === 1;
        break;
      case ValueKind.other:
        otherMap[name] = wellFormed(texts[number] as string);
    }
  }
  return { name: eventName, maps };
}

/**
 * Formats an integer for a column.
 *
 * @throws {EngineError} for an integer beyond 128 bits
 */
function int128(name: string, value: bigint): string {
  if (BigInt.asIntN(128, value) === value) return String(value);
  const digits = String(value).replace('-', '').length;
  throw new EngineError(
    `the attribute ${quote(name)} has an integer with ${digits} digits, but the ClickHouse engine supports only 128-bit integers: measure the session without --engine`,
  );
}

function floatText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? 'inf' : '-inf';
}

/**
 * Returns a text unchanged if it is valid Unicode.
 *
 * @throws {EngineError} for a text with an unpaired surrogate, which UTF-8 cannot encode
 */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) {
    throw new EngineError(
      `the text ${quote(text)} is not valid Unicode, so ClickHouse cannot store it`,
    );
  }
  return text;
}

/**
 * Yields the vector clocks of all receives, in blocks of columns. A clock contains the number of events before the
 * receive, by probe. The receive's own probe has 0, because `seq` suffices. A probe without events is in no block and
 * has 0.
 */
function* clockRows(id: string, session: Session): Generator<readonly unknown[]> {
  const { receives, receiveTimeline } = session.order;
  const receiveMatches = new Matches(session, receives);
  const clocks = new ClockColumns(
    session,
    new Matches(session, allEvents(session)),
    receiveMatches,
  );
  const rowOf = receiveMatches.segments.of;
  let nextEvent = 0;
  for (const { probes, ranks } of clocks.columns()) {
    const next = at(probes, probes.length - 1) + 1;
    for (const [receive, timeline] of receiveTimeline.entries()) {
      const clock = new Array<number>(next - nextEvent).fill(0);
      probes.forEach((probe, column) => {
        clock[probe - nextEvent] = at(ranks, at(rowOf, receive) * probes.length + column);
      });
      yield [id, receive + 1, timeline, nextEvent, clock];
    }
    nextEvent = next;
  }
}
