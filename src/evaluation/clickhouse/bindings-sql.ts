import { comparisonSql, conditionSql, type Values } from './condition.js';
import { literal } from './database.js';
import { columnCell, type LabelTable, type Work } from './label-tables.js';

/**
 * All bindings as a join: `from ... where ...`, label i being the table `l<i>`. ClickHouse makes
 * hash joins of equalities, and tries what remains pair by pair: its limits guard that.
 */
export function bindingsSql(work: Work, tables: readonly LabelTable[]): string {
  const { query, session } = work;
  const needClock = new Set(query.arrows.map(([, later]) => later));
  const from = tables.map(({ name }, label) =>
    needClock.has(label) ? `(${withClock(session, name)}) l${label}` : `${name} l${label}`,
  );
  const values = valuesOf(work);
  const conditions = [
    ...query.arrows.map(([a, b]) => isBefore(`l${a}`, `l${b}`)),
    ...query.joins.map((join) => comparisonSql(join, values)),
    ...query.others.map(({ test }) => conditionSql(test, values)),
  ];
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

/** A label's table with the whole clock of each event; its parts were loaded block by block. */
function withClock(session: string, name: string): string {
  return `select e.*, k.clock as clock from ${name} e left join (
    select seg, arrayMap(x -> x.2, arraySort(groupArray((at, x)))) as dense, arrayMap(x -> x.1, arraySort(groupArray((at, x)))) as places,
      arrayMap(at -> dense[indexOf(places, at)], range(toUInt32(arrayMax(places) + 1))) as clock
    from (
      select seg, first + i - 1 as at, x from perturb_clocks array join clock as x, arrayEnumerate(clock) as i
      where session = ${literal(session)} and seg global in (select seg from ${name} where seg > 0) and x > 0
    ) group by seg
  ) k on k.seg = e.seg`;
}
