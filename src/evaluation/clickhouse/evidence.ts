import type { Expression } from '../../expression/index.js';
import { buildOrder, GrowingColumn, type Session, ValueKind } from '../../session/index.js';
import { describe, reportedNames } from '../answer/evidence.js';
import { exactSeq } from '../answer/listing.js';
import type { EventPlace, Evidence } from '../answer/result.js';
import type { FoundEvidence } from '../answer/source.js';
import type { SessionTimes } from '../query/query.js';
import { doubleSql, readDouble } from './cell.js';
import { literal } from './database.js';
import type { Work } from './label-tables.js';

type StoredSession = Pick<Work, 'db' | 'session'>;

/** Returns the SQL of an event's number in its session on the server. */
export function idSql(alias: string): string {
  return `toUInt64(${alias}.probe) * 4294967296 + ${alias}.seq`;
}

/** Describes bindings for a report. Fetches the bound events with the reported attributes. */
export async function describeOnServer(
  work: StoredSession,
  expression: Expression,
  times: SessionTimes,
  evidence: readonly FoundEvidence[],
): Promise<Evidence[]> {
  if (evidence.length === 0) return [];
  const ids = evidence.flatMap(({ events }) => [...events.values()]);
  const {
    session,
    numbers,
    places: positions,
  } = await fetchEvents(work, ids, reportedNames(expression));
  const numberedEvidence = evidence.map(({ events, ...item }) => ({
    ...item,
    events: new Map([...events].map(([label, id]) => [label, numbers.get(id) as number])),
  }));
  const placeOf = (event: number) => positions[event] as EventPlace;
  return describe({ session, times: () => times, placeOf }, expression, numberedEvidence);
}

/** Returns events' human-readable positions, by event number. */
export async function placesOf(
  work: StoredSession,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventPlace>> {
  const { numbers, places: positions } = await fetchEvents(work, ids, ['seq']);
  return new Map([...numbers].map(([id, event]) => [id, positions[event] as EventPlace]));
}

interface Fetched {
  /** A session of only the fetched events, in order, without an order across timelines. */
  readonly session: Session;
  /** The events' numbers in `session`, by their numbers on the server. */
  readonly numbers: ReadonlyMap<number, number>;
  readonly places: readonly EventPlace[];
}

/**
 * The maps of `perturb_events`, with the kind of their values and the SQL of a value as text (for a float, its bits).
 */
const CELLS = [
  ['integers', ValueKind.integer, 'toString(v)'],
  ['floats', ValueKind.float, doubleSql('v')],
  ['strings', ValueKind.string, 'v'],
  ['booleans', ValueKind.boolean, 'toString(v)'],
  ['others', ValueKind.other, 'v'],
] as const;

/** The SQL of an event's timeline name; null for an unnamed timeline. */
const TIMELINE_NAME = `if(mapContains(strings, 'probe'), strings['probe'], null)`;

/** Fetches events with the named attributes, in one query. */
async function fetchEvents(
  storedSession: StoredSession,
  ids: readonly number[],
  names: readonly string[],
): Promise<Fetched> {
  const rows = await readEvents(storedSession, ids, names);
  const texts: string[] = [];
  const columns = new Map<string, GrowingColumn>();
  const add = (event: number, name: string, kind: number, text: string): void => {
    const column = columns.get(name) ?? new GrowingColumn();
    columns.set(name, column);
    if (kind === ValueKind.integer) column.addInteger(event, BigInt(text));
    else if (kind === ValueKind.float) column.add(event, kind, readDouble(text));
    else if (kind === ValueKind.boolean) column.add(event, kind, text === 'true' ? 1 : 0);
    else column.add(event, kind, texts.push(text) - 1);
  };
  const numbers = new Map<number, number>();
  const positions: EventPlace[] = [];
  const start: number[] = [];
  const probes: string[] = [];
  for (const [event, [id, probe, index, timeline, name, seq, attributes]] of rows.entries()) {
    numbers.set(Number(id), event);
    if (probes.at(-1) !== probe) start[probes.push(String(probe)) - 1] = event;
    const exact = seq === '' ? BigInt(Number(index) - 1) : BigInt(String(seq));
    const timelinePart = typeof timeline === 'string' ? { timeline } : {};
    positions.push({ probe: String(probe), ...timelinePart, seq: exactSeq(exact) });
    if (typeof name === 'string') add(event, 'name', ValueKind.string, name);
    for (const [key, kind, text] of attributes as [string, number, string][]) {
      // This key holds the name of the event's timeline.
      if (key !== 'probe') add(event, key, kind, text);
    }
  }
  const size = rows.length;
  const lines = Int32Array.from([...start, size]);
  const session = {
    ...{ probes, start: lines, size, texts },
    timelines: {
      start: lines,
      probe: Int32Array.from(start.keys()),
      name: new Int32Array(start.length).fill(-1),
    },
    columns: new Map([...columns].map(([name, column]) => [name, column.lay(size)])),
    order: buildOrder(lines, new Int32Array(), new Int32Array(), 0).order,
  };
  return { session, numbers, places: positions };
}

/** Reads one row per event, in order. */
async function readEvents(
  { db, session }: StoredSession,
  ids: readonly number[],
  names: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  // A binding of only absent labels has no events.
  if (ids.length === 0) return [];
  const cells = CELLS.map(
    ([map, kind, text]) =>
      `arrayMap((k, v) -> (toString(k), ${kind}, ${text}), mapKeys(${map}), mapValues(${map}))`,
  );
  const reportedColumns = `arrayFilter(c -> c.1 in (${names.map(literal).join(', ')}), arrayConcat(${cells.join(', ')}))`;
  const list = ids.map((id) => `(${Math.floor(id / 2 ** 32)}, ${id % 2 ** 32})`).join(', ');
  return db.rows(
    `select toString(${idSql('e')}), toString(probe_name), seq, ${TIMELINE_NAME}, name, if(mapContains(integers, 'seq'), toString(integers['seq']), ''), ${reportedColumns} from perturb_events e where session = ${literal(session)} and (probe, seq) in (${list}) order by probe, seq`,
  );
}
