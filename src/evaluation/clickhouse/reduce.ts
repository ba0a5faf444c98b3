import type { LabelTable, Work } from './label-tables.js';
import { weightAfter, weightBefore } from './message.js';

/**
 * Leaves out the events that have no partner for one of the arrows, until there are none. Where
 * the arrows make a tree, what is left takes part in an ordered binding. Each round is one
 * statement an arrow and direction; a tree is done in as many as it is deep.
 */
export async function reduce(
  work: Work,
  tables: readonly LabelTable[],
): Promise<readonly LabelTable[]> {
  const left = [...tables];
  const again = new Set(work.query.arrows.keys());
  const keep = async (label: number, partners: string): Promise<boolean> => {
    const table = left[label] as LabelTable;
    const name = await work.scratch.table(
      `select l.* from ${table.name} l semi join (${partners}) m on m.probe = l.probe and m.seq = l.seq`,
    );
    const size = Number((await work.db.rows(`select count() from ${name}`))[0]?.[0]);
    left[label] = { ...table, name, size };
    return size < table.size;
  };
  for (const arrow of again) {
    again.delete(arrow);
    const [earlier, later] = work.query.arrows[arrow] as readonly [number, number];
    const ones = (label: number): string =>
      `(select probe, seq, seg, toUInt64(1) as w from ${(left[label] as LabelTable).name})`;
    const name = (label: number): string => (left[label] as LabelTable).name;
    const changed = new Set<number>();
    const { session } = work;
    if (await keep(later, weightBefore(session, ones(earlier), name(later)))) changed.add(later);
    if (await keep(earlier, weightAfter(session, ones(later), name(earlier)))) changed.add(earlier);
    // An arrow of its own is settled: what was left out had no partner.
    for (const [other, ends] of work.query.arrows.entries()) {
      if (other !== arrow && ends.some((label) => changed.has(label))) again.add(other);
    }
  }
  return left;
}
