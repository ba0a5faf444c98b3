import { shownSeq } from '../answer/listing.js';
import type { Binding, Evidence } from '../answer/result.js';
import { Undecided } from '../exact/undecided.js';
import type { Query } from '../query/query.js';
import { partsSql, type Values } from './condition.js';
import { literal } from './database.js';
import { columnValues, type LabelTable, type Work } from './label-tables.js';

/**
 * The tables of labels with what a join asks for besides: the clocks of events that an arrow leads
 * to. These are as wide as there are probes, and a session holds them block by block.
 */
export async function joinable(
  work: Work,
  tables: readonly LabelTable[],
): Promise<readonly LabelTable[]> {
  const { query, scratch, session } = work;
  const later = new Set([...query.arrows.map((arrow) => arrow[1]), ...query.concurrent.flat()]);
  const joined: LabelTable[] = [];
  for (const [label, table] of tables.entries()) {
    const name = later.has(label)
      ? await scratch.table(withClock(session, table.name))
      : table.name;
    joined.push({ ...table, name });
  }
  return joined;
}

function withClock(session: string, name: string): string {
  return `select e.*, k.clock as clock from ${name} e left join (
    select seg, arrayFlatten(arrayMap(block -> tupleElement(block, 2), arraySort(groupArray((first, clock))))) as clock
    from perturb_clocks
    where session = ${literal(session)} and seg global in (select seg from ${name} where seg > 0)
    group by seg
  ) k on k.seg = e.seg`;
}

/** More pairs than this are not tried. */
const MOST_PAIRS = 1e10;

/** All bindings, as a join whose label i is `l<i>`: `sql` is `from ... where ...`. */
export interface Joined {
  readonly sql: string;
  readonly values: Values;
}

/**
 * All bindings as a join. ClickHouse makes hash joins of equalities, and tries what remains pair by
 * pair: its limits guard that.
 *
 * @param tables as `joinable` gives them
 * @param conditions more of them, in SQL
 * @throws {Undecided} where that would be too many pairs
 */
export function joinedBindings(
  work: Work,
  tables: readonly LabelTable[],
  conditions: readonly string[] = [],
): Joined {
  const { query } = work;
  const values: Values = {
    ...columnValues(work, ({ label }) => `l${label}`),
    differ: (u, v) => `(l${u}.probe != l${v}.probe or l${u}.seq != l${v}.seq)`,
  };
  refuseTooMany(query, tables);
  const all = [
    ...query.arrows.map(([a, b]) => isBefore(`l${a}`, `l${b}`)),
    ...query.concurrent.map(
      ([a, b]) =>
        `not (l${a}.probe = l${b}.probe and l${a}.seq = l${b}.seq) and not ${isBefore(`l${a}`, `l${b}`)} and not ${isBefore(`l${b}`, `l${a}`)}`,
    ),
    partsSql({ ...query, neverHolds: false, filters: [] }, values),
    ...conditions,
  ];
  const from = tables.map(({ name }, label) => `${name} l${label}`);
  return {
    sql: `from ${from.join(' cross join ') || '(select 1)'} where ${all.join(' and ')}`,
    values,
  };
}

/** Labels that equalities of attributes tie together count as one: a hash finds their pairs. */
function refuseTooMany(query: Query, tables: readonly LabelTable[]): void {
  const tied = tables.map((_, label) => label);
  for (const { u, v, left, comparator, right } of query.joins) {
    if (comparator !== '=' || left.kind !== 'attribute' || right.kind !== 'attribute') continue;
    const [from, to] = [tied[v], tied[u] as number];
    for (const [label, one] of tied.entries()) if (one === from) tied[label] = to;
  }
  const sizes = new Map<number, number>();
  for (const [label, { size }] of tables.entries()) {
    const one = tied[label] as number;
    sizes.set(one, Math.max(size, sizes.get(one) ?? 0));
  }
  const pairs = [...sizes.values()].reduce((product, size) => product * size, 1);
  if (pairs <= MOST_PAIRS) return;
  throw new Undecided(
    forcedClause(query),
    `the server would try ${pairs.toPrecision(2)} combinations of events`,
    'select fewer events with FILTER, tie the labels by an equality, or use the embedded engine',
  );
}

/** The clause because of which bindings are joined. */
export function forcedClause({ labels, joins, others, concurrent, arrows }: Query): string {
  const text = (sign: string) => (pair: readonly [number, number]) =>
    `${labels[pair[0]]} ${sign} ${labels[pair[1]]}`;
  const [one] = [...joins, ...others].map((part) => part.text);
  const [other] = [...concurrent.map(text('||')), ...arrows.map(text('->'))];
  return one ?? other ?? 'WHEN';
}

/** On one probe the events are in order; elsewhere the clock of the later one knows. */
function isBefore(a: string, b: string): string {
  return `if(${a}.probe = ${b}.probe, ${a}.seq < ${b}.seq, ${b}.clock[${a}.probe + 1] >= ${a}.seq)`;
}

/** The first event that has the extreme of an aggregate: its probe's number, and its place there from 1. */
export interface ExtremeEvent {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly label: number;
  readonly event: readonly [number, number];
}

/** Bindings that show the result: one for each extreme; without extremes the first ones. */
export async function evidenceOf(
  work: Work,
  joined: Joined,
  extremes: readonly ExtremeEvent[],
  limit: number,
): Promise<readonly Evidence[]> {
  if (extremes.length === 0) {
    const first = await bindingsOf(work, joined, '1', limit);
    return first.map((binding) => ({ why: 'first', binding }));
  }
  const found: Evidence[] = [];
  for (const { why, of, label, event } of extremes) {
    const only = `l${label}.probe = ${event[0]} and l${label}.seq = ${event[1]}`;
    for (const binding of await bindingsOf(work, joined, only, 1)) found.push({ why, of, binding });
  }
  return found;
}

/**
 * The bindings that the server finds first, at most so many.
 *
 * @param condition on the labels, in SQL
 */
export async function bindingsOf(
  work: Work,
  { sql }: Joined,
  condition: string,
  limit: number,
): Promise<readonly Binding[]> {
  const { db, query } = work;
  const places = query.labels.map((_, label) => `l${label}.probe, l${label}.seq`).join(', ') || '1';
  const rows = await db.rows(`select ${places} ${sql} and ${condition} limit ${limit}`);
  const events = rows.flatMap((row) => query.labels.map((_, at) => pairAt(row, at)));
  const named = await placesOf(work, events);
  return rows.map((row) =>
    Object.fromEntries(
      query.labels.map((label, at) => [
        label,
        named.get(pairAt(row, at).join()) as Binding[string],
      ]),
    ),
  );
}

function pairAt(row: readonly unknown[], label: number): readonly [number, number] {
  return [Number(row[2 * label]), Number(row[2 * label + 1])];
}

/** Whether there is no binding, as is known before any join. */
export function matchesNothing({ query }: Work, tables: readonly LabelTable[]): boolean {
  return query.neverHolds || query.circular.size > 0 || tables.some(({ size }) => size === 0);
}

/** Null where it has none. */
const TIMELINE_NAME = `if(mapContains(strings, 'probe'), strings['probe'], null)`;

/** Where a person finds events: by `seq` where they have one, else by their place, from 0. */
export async function placesOf(
  { db, session }: Pick<Work, 'db' | 'session'>,
  events: readonly (readonly [number, number])[],
): Promise<ReadonlyMap<string, Binding[string]>> {
  if (events.length === 0) return new Map();
  const list = events.map(([probe, seq]) => `(${probe}, ${seq})`).join(', ');
  const rows = await db.rows(
    `select probe, seq, probe_name, if(mapContains(integers, 'seq'), toString(integers['seq']), ''), ${TIMELINE_NAME} from perturb_events where session = ${literal(session)} and (probe, seq) in (${list})`,
  );
  return new Map(
    rows.map(([probe, seq, name, given, timeline]) => {
      const exact = given === '' ? BigInt(Number(seq) - 1) : BigInt(String(given));
      const named = timeline === null ? {} : { timeline: String(timeline) };
      return [`${probe},${seq}`, { probe: String(name), ...named, seq: shownSeq(exact) }];
    }),
  );
}
