import { shownSeq } from '../answer/listing.js';
import type { Binding, Evidence } from '../answer/result.js';
import { comparisonSql, conditionSql, type Values } from './condition.js';
import { literal } from './database.js';
import { columnCell, type LabelTable, type Work } from './label-tables.js';

/**
 * The tables of labels with what a join asks for besides: the clocks of events that an arrow leads
 * to. These are as wide as there are probes, and a session holds them block by block.
 */
export async function joinable(
  work: Work,
  tables: readonly LabelTable[],
): Promise<readonly LabelTable[]> {
  const { query, scratch, session } = work;
  const later = new Set(query.arrows.map((arrow) => arrow[1]));
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

/**
 * All bindings as a join: `from ... where ...`, label i being `l<i>`. ClickHouse makes hash joins
 * of equalities, and tries what remains pair by pair: its limits guard that.
 *
 * @param tables as `joinable` gives them
 */
export function bindingsSql(work: Work, tables: readonly LabelTable[]): string {
  const { query } = work;
  const values = valuesOf(work);
  const conditions = [
    ...query.arrows.map(([a, b]) => isBefore(`l${a}`, `l${b}`)),
    ...query.joins.map((join) => comparisonSql(join, values)),
    ...query.others.map(({ test }) => conditionSql(test, values)),
  ];
  const from = tables.map(({ name }, label) => `${name} l${label}`);
  return `from ${from.join(' cross join ')} where ${conditions.join(' and ') || '1'}`;
}

/** The values of labels in such a join. */
export function valuesOf({ query, scale }: Work): Values {
  return { cellOf: (attribute) => columnCell(query, attribute, `l${attribute.label}`), scale };
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
  tables: readonly LabelTable[],
  extremes: readonly ExtremeEvent[],
  limit: number,
): Promise<readonly Evidence[]> {
  if (extremes.length === 0) {
    const first = await bindingsOf(work, tables, '1', limit);
    return first.map((binding) => ({ why: 'first', binding }));
  }
  const found: Evidence[] = [];
  for (const { why, of, label, event } of extremes) {
    const only = `l${label}.probe = ${event[0]} and l${label}.seq = ${event[1]}`;
    for (const binding of await bindingsOf(work, tables, only, 1)) found.push({ why, of, binding });
  }
  return found;
}

/**
 * The bindings that the server finds first, at most so many.
 *
 * @param tables as `joinable` gives them
 * @param condition on the labels, in SQL
 */
export async function bindingsOf(
  work: Work,
  tables: readonly LabelTable[],
  condition: string,
  limit: number,
): Promise<readonly Binding[]> {
  if (matchesNothing(work, tables)) return [];
  const { db, query } = work;
  const places = tables.map((_, label) => `l${label}.probe, l${label}.seq`).join(', ');
  const rows = await db.rows(
    `select ${places} ${bindingsSql(work, tables)} and ${condition} limit ${limit}`,
  );
  const events = rows.flatMap((row) => query.labels.map((_, at) => pairAt(row, at)));
  const named = await namesOf(work, events);
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
async function namesOf(
  { db, session }: Work,
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
