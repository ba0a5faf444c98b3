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
