import type { Query } from '../query/query.js';
import { type JoinTree, joinTrees, type Link } from '../query/query.js';
import { literal } from './database.js';
import type { LabelTable, Work } from './label-tables.js';

/*
 * Weights along an arrow: for each event, the sum of the weights of the preceding or following events. An event's last
 * receive identifies its segment, and the receive's clock gives the last preceding event of each probe. The sums are
 * therefore running sums, looked up by the nearest row (ASOF JOIN). Each query reads tables with probe, seq and seg,
 * and the weight w in the weighted table. It returns probe, seq and the sum m, without events that have no sum.
 */

/** Returns the SQL of a running sum from either end. A 256-bit sum does not overflow. */
const runningSum = (order: 'asc' | 'desc', by: string): string =>
  `sum(w) over (partition by probe order by ${by} ${order} rows between unbounded preceding and current row)`;

/** Returns the SQL of the clocks of a table's segments, with a row for each probe in a clock. */
function clockSource(session: string, segments: string): string {
  return `select seg, toUInt32(first + i - 1) as probe, x as seq from (
    select seg, first, clock from perturb_clocks
    where session = ${literal(session)} and seg global in (select seg from ${segments} where seg > 0)
  ) array join clock as x, arrayEnumerate(clock) as i where x > 0`;
}

/** Returns SQL that sums the weights of the events before each event of `targets`. */
function weightBefore(session: string, weightedTable: string, targets: string): string {
  const sums = `(select probe, seq, ${runningSum('asc', 'seq')} as c from ${weightedTable})`;
  return `select probe, seq, sum(c) as m from (
    select v.probe as probe, v.seq as seq, s.c as c
    from ${targets} v asof join ${sums} s on s.probe = v.probe and v.seq > s.seq
    union all
    select v.probe as probe, v.seq as seq, f.c as c
    from ${targets} v join (
      select k.seg as seg, sum(s.c) as c
      from (${clockSource(session, targets)}) k
      asof join ${sums} s on s.probe = k.probe and k.seq >= s.seq
      group by seg
    ) f on f.seg = v.seg
  ) group by probe, seq`;
}

/** Returns SQL that sums the weights of the events after each event of `targets`. */
function weightAfter(session: string, weightedTable: string, targets: string): string {
  const localSql = `(select probe, seq, ${runningSum('desc', 'seq')} as c from ${weightedTable})`;
  const perPositionSql = `select k.probe as probe, k.seq as seq, sum(s.w) as w
    from (${clockSource(session, weightedTable)}) k
    join (select seg, sum(w) as w from ${weightedTable} where seg > 0 group by seg) s on s.seg = k.seg
    group by probe, seq`;
  const farSql = `(select probe, seq, ${runningSum('desc', 'seq')} as c from (${perPositionSql}))`;
  return `select probe, seq, sum(c) as m from (
    select u.probe as probe, u.seq as seq, s.c as c
    from ${targets} u asof join ${localSql} s on s.probe = u.probe and u.seq < s.seq
    union all
    select u.probe as probe, u.seq as seq, d.c as c
    from ${targets} u asof join ${farSql} d on d.probe = u.probe and u.seq <= d.seq
  ) group by probe, seq`;
}

/**
 * Removes events without a partner for one of the arrows, until every event has partners. If the arrows form a tree,
 * each remaining event is in an ordered binding. Each round takes one statement per arrow and direction. A tree takes
 * as many rounds as its depth.
 */
export async function reduceTables(
  work: Work,
  tables: readonly LabelTable[],
): Promise<readonly LabelTable[]> {
  const reduced = [...tables];
  const pendingArrows = new Set(work.query.arrows.keys());
  const keep = async (label: number, partners: string): Promise<boolean> => {
    const table = reduced[label] as LabelTable;
    const name = await work.scratch.table(
      `select l.* from ${table.name} l semi join (${partners}) m on m.probe = l.probe and m.seq = l.seq`,
    );
    const size = Number((await work.db.rows(`select count() from ${name}`))[0]?.[0]);
    reduced[label] = { ...table, name, size };
    return size < table.size;
  };
  for (const arrow of pendingArrows) {
    pendingArrows.delete(arrow);
    const [earlierLabel, laterLabel] = work.query.arrows[arrow] as readonly [number, number];
    const unitWeights = (label: number): string =>
      `(select probe, seq, seg, toUInt64(1) as w from ${(reduced[label] as LabelTable).name})`;
    const name = (label: number): string => (reduced[label] as LabelTable).name;
    const changedLabels = new Set<number>();
    const { session } = work;
    if (await keep(laterLabel, weightBefore(session, unitWeights(earlierLabel), name(laterLabel))))
      changedLabels.add(laterLabel);
    if (await keep(earlierLabel, weightAfter(session, unitWeights(laterLabel), name(earlierLabel))))
      changedLabels.add(earlierLabel);
    // This arrow needs no further round, because the removed events had no partner.
    for (const [otherArrow, ends] of work.query.arrows.entries()) {
      if (otherArrow !== arrow && ends.some((label) => changedLabels.has(label)))
        pendingArrows.add(otherArrow);
    }
  }
  return reduced;
}

/** The number of bindings, and event counts for the wanted labels. */
export interface ForestCounts {
  readonly total: bigint;
  /** By label, a table of bound events with probe, seq and the count `c`, to be multiplied by `factor`. */
  readonly of: ReadonlyMap<number, { readonly table: string; readonly factor: bigint }>;
}

/**
 * Returns the join trees that arrows form between the labels; undefined if the arrows form a cycle, or if other clauses
 * relate labels.
 */
export function findTrees({
  labels,
  arrows,
  ...query
}: Query): readonly JoinTree<Link>[] | undefined {
  const { joins, others, concurrent } = query;
  if (joins.length + others.length + concurrent.length > 0) return undefined;
  return joinTrees(
    [...labels.keys()],
    arrows.map(([u, v]) => ({ u, v })),
  );
}

/**
 * Counts bindings along a forest of arrows. Propagating weights up the edges to the root gives the total. Propagating
 * weights down the edges gives each event's number of bindings. Takes two statements per edge and one per label, each
 * over the remaining events and clocks. The time does not depend on the number of bindings.
 */
export async function countForest(
  work: Work,
  tables: readonly LabelTable[],
  trees: readonly JoinTree<Link>[],
  wantedLabels: ReadonlySet<number>,
): Promise<ForestCounts> {
  const { db, session, scratch } = work;
  const nameOf = (label: number): string => (tables[label] as LabelTable).name;
  const of = new Map<number, { table: string; tree: number }>();
  const totals: bigint[] = [];

  const makeWeighted = (label: number, receivedTables: readonly string[]): Promise<string> => {
    const factors = receivedTables.map((_, at) => ` * m${at}.m`).join('');
    const joins = receivedTables.map(
      (name, at) => ` join ${name} m${at} on m${at}.probe = l.probe and m${at}.seq = l.seq`,
    );
    return scratch.table(
      `select l.probe as probe, l.seq as seq, l.seg as seg, toUInt256(1)${factors} as w from ${nameOf(label)} l${joins.join('')}`,
    );
  };
  const propagate = (isEarlier: boolean, from: string, to: number): Promise<string> =>
    scratch.table((isEarlier ? weightBefore : weightAfter)(session, from, nameOf(to)));

  for (const [tree, { root, edges }] of trees.entries()) {
    const upperTables = new Map<number, string>();
    const down = new Map<number, string>();
    const childTables = (label: number, exceptLabel = -1): string[] =>
      edges.flatMap((edge) =>
        edge.parent === label && edge.child !== exceptLabel
          ? [upperTables.get(edge.child) as string]
          : [],
      );
    const upperTable = (label: number): string[] => {
      const name = down.get(label);
      return name === undefined ? [] : [name];
    };
    for (const { child, parent, link } of [...edges].reverse()) {
      const weights = await makeWeighted(child, childTables(child));
      upperTables.set(child, await propagate(link.u === child, weights, parent));
    }
    const rootTable = await makeWeighted(root, childTables(root));
    const [[total] = ['0']] = (await db.rows(`select toString(sum(w)) from ${rootTable}`)) as [
      string,
    ][];
    totals.push(BigInt(total));
    if (wantedLabels.has(root)) of.set(root, { table: rootTable, tree });
    if (!edges.some(({ child }) => wantedLabels.has(child))) continue;
    for (const { child, parent, link } of edges) {
      const siblingTables = [...childTables(parent, child), ...upperTable(parent)];
      down.set(
        child,
        await propagate(link.u === parent, await makeWeighted(parent, siblingTables), child),
      );
      if (!wantedLabels.has(child)) continue;
      of.set(child, {
        table: await makeWeighted(child, [...childTables(child), ...upperTable(child)]),
        tree,
      });
    }
  }
  const total = totals.reduce((product, total) => product * total, 1n);
  const otherCounts = (tree: number): bigint =>
    totals.reduce((product, total, at) => (at === tree ? product : product * total), 1n);
  return {
    total,
    of: new Map(
      [...of].map(([label, { table, tree }]) => [
        label,
        {
          table: `(select probe, seq, w as c from ${table} where w > 0)`,
          factor: otherCounts(tree),
        },
      ]),
    ),
  };
}
