import type { QueryAbsence } from '../query/query.js';
import { joinable, joinedBindings, matchesNothing } from './bindings.js';
import { reduceTables, treesOf } from './count-forest.js';
import { type LabelTable, selectLabels, type Work } from './label-tables.js';

/** Labels, as far as what must not be beside them leaves their events. */
export interface Remaining {
  readonly tables: readonly LabelTable[];
  /** On bindings, in SQL. */
  readonly conditions: readonly string[];
  /** Whether there is what must not be, whatever the labels are bound to. */
  readonly isForbidden: boolean;
}

/** The tables of the labels of an absence, the bound ones aside. */
export function selectAbsent(work: Work, { query, shared }: QueryAbsence) {
  return selectLabels({ ...work, query }, shared.length);
}

/**
 * Leaves out what an absence forbids: everything, where it hangs on no label; the events of a label,
 * where it hangs on that alone; else bindings, by a list of the events that must not be together.
 *
 * @param own as `selectAbsent` gives them
 */
export async function withoutAbsent(
  work: Work,
  before: Remaining,
  { query, shared }: QueryAbsence,
  own: readonly LabelTable[],
): Promise<Remaining> {
  const { scratch, db } = work;
  const sub: Work = { ...work, query };
  const tables = [...shared.map((label) => before.tables[label] as LabelTable), ...own];
  if (before.isForbidden || matchesNothing(sub, tables)) return before;
  const isTree =
    query.joins.length + query.others.length + query.concurrent.length === 0 &&
    treesOf(query) !== undefined;
  const [label, other] = shared;
  if (isTree && other === undefined) {
    // Events that are left by the arrows of a tree take part in a binding.
    const left = await reduceTables(sub, tables);
    if (left.some(({ size }) => size === 0)) return before;
    if (label === undefined) return { ...before, isForbidden: true };
    return without(work, before, label, `select probe, seq from ${left[0]?.name}`);
  }
  const { sql } = joinedBindings(sub, await joinable(sub, tables));
  if (label === undefined) {
    const rows = await db.rows(`select 1 ${sql} limit 1`);
    return { ...before, isForbidden: rows.length > 0 };
  }
  const places = (alias: (place: number) => string) =>
    shared.map((_, place) => `${alias(place)}.probe, ${alias(place)}.seq`).join(', ');
  const named = shared.map((_, at) => `l${at}.probe as p${at}, l${at}.seq as s${at}`).join(', ');
  const list = await scratch.table(`select distinct ${named} ${sql}`);
  if (other === undefined) return without(work, before, label, `select p0, s0 from ${list}`);
  const condition = `(${places((place) => `l${shared[place]}`)}) not in (select * from ${list})`;
  return { ...before, conditions: [...before.conditions, condition] };
}

async function without(
  { scratch, db }: Work,
  before: Remaining,
  label: number,
  events: string,
): Promise<Remaining> {
  const table = before.tables[label] as LabelTable;
  const name = await scratch.table(
    `select * from ${table.name} where (probe, seq) not in (${events})`,
  );
  const size = Number((await db.rows(`select count() from ${name}`))[0]?.[0]);
  return { ...before, tables: before.tables.with(label, { ...table, name, size }) };
}
