import { Undecided } from '../exact/undecided.js';
import type { Query, QueryAbsence } from '../query/query.js';
import { partsSql, type Values } from './condition.js';
import { findTrees, reduceTables } from './count-forest.js';
import { literal } from './database.js';
import { columnValues, type LabelTable, selectLabels, type Work } from './label-tables.js';

/**
 * Adds the clocks that a join needs to the tables of labels at the end of an arrow or related by `||`. Returns all
 * labels' tables. A clock has an entry for each probe, and is stored in blocks.
 */
export async function addJoinClocks(
  work: Work,
  tables: readonly LabelTable[],
): Promise<readonly LabelTable[]> {
  const { query, scratch, session } = work;
  const laterLabels = new Set([
    ...query.arrows.map((arrow) => arrow[1]),
    ...query.concurrent.flat(),
  ]);
  const joinedTables: LabelTable[] = [];
  for (const [label, table] of tables.entries()) {
    const name = laterLabels.has(label)
      ? await scratch.table(clockTables(session, table.name))
      : table.name;
    joinedTables.push({ ...table, name });
  }
  return joinedTables;
}

function clockTables(session: string, name: string): string {
  return `select e.*, k.clock as clock from ${name} e left join (
    select seg, arrayFlatten(arrayMap(block -> tupleElement(block, 2), arraySort(groupArray((first, clock))))) as clock
    from perturb_clocks
    where session = ${literal(session)} and seg global in (select seg from ${name} where seg > 0)
    group by seg
  ) k on k.seg = e.seg`;
}

/** Maximum number of combinations of events to try. */
const MAX_PAIRS = 1e10;

/** All bindings as a join. `sql` is `from ... where ...`, with the alias `l<i>` for label i. */
export interface JoinedTables {
  readonly sql: string;
  readonly values: Values;
}

/**
 * Returns all bindings as a join. ClickHouse evaluates equalities as hash joins. It tries all other combinations one by
 * one, within the server's limits.
 *
 * @param tables the result of `addJoinClocks`
 * @param conditions additional SQL conditions
 * @throws {Undecided} if there would be too many combinations
 */
export function joinedBindings(
  work: Work,
  tables: readonly LabelTable[],
  conditions: readonly string[] = [],
): JoinedTables {
  const { query } = work;
  const values: Values = {
    ...columnValues(work, ({ label }) => `l${label}`),
    differ: (u, v) => `(l${u}.probe != l${v}.probe or l${u}.seq != l${v}.seq)`,
  };
  checkPairCount(query, tables);
  const sqlParts = [
    ...query.arrows.map(([a, b]) => precedesSql(`l${a}`, `l${b}`)),
    ...query.concurrent.map(
      ([a, b]) =>
        `not (l${a}.probe = l${b}.probe and l${a}.seq = l${b}.seq) and not ${precedesSql(`l${a}`, `l${b}`)} and not ${precedesSql(`l${b}`, `l${a}`)}`,
    ),
    partsSql({ ...query, neverHolds: false, filters: [] }, values),
    ...conditions,
  ];
  const from = tables.map(({ name }, label) => `${name} l${label}`);
  return {
    sql: `from ${from.join(' cross join ') || '(select 1)'} where ${sqlParts.join(' and ')}`,
    values,
  };
}

/**
 * Throws `Undecided` if a join would try too many combinations of events. Labels connected by equalities count as one
 * label, because a hash join finds their pairs.
 */
function checkPairCount(query: Query, tables: readonly LabelTable[]): void {
  const components = tables.map((_, label) => label);
  for (const { u, v, left, comparator, right } of query.joins) {
    if (comparator !== '=' || left.kind !== 'attribute' || right.kind !== 'attribute') continue;
    const [from, to] = [components[v], components[u] as number];
    for (const [label, component] of components.entries())
      if (component === from) components[label] = to;
  }
  const sizes = new Map<number, number>();
  for (const [label, { size }] of tables.entries()) {
    const component = components[label] as number;
    sizes.set(component, Math.max(size, sizes.get(component) ?? 0));
  }
  const pairs = [...sizes.values()].reduce((product, size) => product * size, 1);
  if (pairs <= MAX_PAIRS) return;
  throw new Undecided(
    forcedClause(query),
    `the server would try ${pairs.toPrecision(2)} combinations of events`,
    'select fewer events with FILTER, tie the labels together with an equality, or use the embedded engine',
  );
}

/** Returns the clause that requires a join. */
export function forcedClause({ labels, joins, others, concurrent, arrows }: Query): string {
  const text = (sign: string) => (pair: readonly [number, number]) =>
    `${labels[pair[0]]} ${sign} ${labels[pair[1]]}`;
  const [component] = [...joins, ...others].map((part) => part.text);
  const [other] = [...concurrent.map(text('||')), ...arrows.map(text('->'))];
  return component ?? other ?? 'WHEN';
}

/**
 * Returns the SQL test that an event precedes another: by position on the same probe, otherwise by the later event's
 * clock.
 */
function precedesSql(a: string, b: string): string {
  return `if(${a}.probe = ${b}.probe, ${a}.seq < ${b}.seq, ${b}.clock[${a}.probe + 1] >= ${a}.seq)`;
}

/** True if there are evidently no bindings, without running a join. */
export function matchesNothing({ query }: Work, tables: readonly LabelTable[]): boolean {
  return query.neverHolds || query.circular.size > 0 || tables.some(({ size }) => size === 0);
}

/** The labels' events and bindings that remain after absences. */
export interface RemainingBindings {
  readonly tables: readonly LabelTable[];
  /** SQL conditions on the bindings. */
  readonly conditions: readonly string[];
  /** True if an absence forbids all bindings. */
  readonly isForbidden: boolean;
}

/** Selects the events of an absence's own labels, without the shared labels. */
function selectAbsent(work: Work, { query, shared }: QueryAbsence) {
  return selectLabels({ ...work, query }, shared.length);
}

/**
 * Applies an absence. An absence without shared labels forbids all bindings. An absence with one shared label removes
 * events of that label. Any other absence adds a condition that excludes the forbidden combinations of events.
 *
 * @param absent the result of `selectAbsent`
 */
async function dropAbsent(
  work: Work,
  previous: RemainingBindings,
  { query, shared }: QueryAbsence,
  absent: readonly LabelTable[],
): Promise<RemainingBindings> {
  const { scratch, db } = work;
  const sub: Work = { ...work, query };
  const tables = [...shared.map((label) => previous.tables[label] as LabelTable), ...absent];
  if (previous.isForbidden || matchesNothing(sub, tables)) return previous;
  const [label, other] = shared;
  if (other === undefined && findTrees(query) !== undefined) {
    // In a tree, every event that satisfies the arrows is in a binding.
    const leftTables = await reduceTables(sub, tables);
    if (leftTables.some(({ size }) => size === 0)) return previous;
    if (label === undefined) return { ...previous, isForbidden: true };
    return filterLabel(work, previous, label, `select probe, seq from ${leftTables[0]?.name}`);
  }
  const { sql } = joinedBindings(sub, await addJoinClocks(sub, tables));
  if (label === undefined) {
    const rows = await db.rows(`select 1 ${sql} limit 1`);
    return { ...previous, isForbidden: rows.length > 0 };
  }
  const positions = (alias: (position: number) => string) =>
    shared.map((_, position) => `${alias(position)}.probe, ${alias(position)}.seq`).join(', ');
  const sharedColumns = shared
    .map((_, at) => `l${at}.probe as p${at}, l${at}.seq as s${at}`)
    .join(', ');
  const list = await scratch.table(`select distinct ${sharedColumns} ${sql}`);
  if (other === undefined) return filterLabel(work, previous, label, `select p0, s0 from ${list}`);
  const condition = `(${positions((position) => `l${shared[position]}`)}) not in (select * from ${list})`;
  return { ...previous, conditions: [...previous.conditions, condition] };
}

function filterLabel(
  work: Work,
  previous: RemainingBindings,
  label: number,
  events: string,
): Promise<RemainingBindings> {
  return keepOnly(work, previous, label, `(probe, seq) not in (${events})`);
}

/** Keeps only a label's events that satisfy an SQL condition on the alias `e`. */
export async function keepOnly(
  { scratch, db }: Work,
  previous: RemainingBindings,
  label: number,
  condition: string,
): Promise<RemainingBindings> {
  const table = previous.tables[label] as LabelTable;
  const name = await scratch.table(`select * from ${table.name} e where ${condition}`);
  const size = Number((await db.rows(`select count() from ${name}`))[0]?.[0]);
  return { ...previous, tables: previous.tables.with(label, { ...table, name, size }) };
}

/** Applies all absences. Also returns the tables before the absences of NOT, and the tables of absent labels. */
export async function absencesOf(work: Work, tables: readonly LabelTable[]) {
  const { query } = work;
  const absentTables: (readonly LabelTable[])[] = [];
  for (const absence of query.absences) absentTables.push(await selectAbsent(work, absence));
  const dropAbsence = async (
    from: RemainingBindings,
    which: boolean,
  ): Promise<RemainingBindings> => {
    let remaining = from;
    for (const [at, absence] of query.absences.entries()) {
      if (absence.isOfMatch !== which) continue;
      remaining = await dropAbsent(
        work,
        remaining,
        absence,
        absentTables[at] as readonly LabelTable[],
      );
    }
    return remaining;
  };
  const testedTables = await dropAbsence({ tables, conditions: [], isForbidden: false }, false);
  return {
    tested: testedTables,
    remaining: await dropAbsence(testedTables, true),
    own: absentTables,
  };
}
