import type { LabelTable, Work } from './label-tables.js';
import { weightAfter, weightBefore } from './propagate.js';

/** How many bindings there are, and a table with `c` for each event of the labels asked for. */
export interface CountedForest {
  readonly total: bigint;
  /** By label: probe, seq and c, without those in no binding; each c stands for `factor` as many. */
  readonly of: ReadonlyMap<number, { readonly table: string; readonly factor: bigint }>;
}

interface Edge {
  readonly label: number;
  readonly parent: number;
  /** Whether the label comes before its parent. */
  readonly isEarlier: boolean;
}

/** Whether the arrows are a forest over the labels. */
export function isForest(labels: number, arrows: Work['query']['arrows']): boolean {
  return (
    treesOf(labels, arrows).reduce((edges, tree) => edges + tree.edges.length, 0) === arrows.length
  );
}

/**
 * Counts bindings along a forest of arrows: weights up each edge to the root give the total, those
 * down each edge the number of bindings that contain an event. Two statements an edge and one a
 * label, each over the events and clocks that are left; the number of bindings plays no part.
 */
export async function countForest(
  work: Work,
  tables: readonly LabelTable[],
  wanted: ReadonlySet<number>,
): Promise<CountedForest> {
  const { db, session, scratch, query } = work;
  const nameOf = (label: number): string => (tables[label] as LabelTable).name;
  const trees = treesOf(query.labels.length, query.arrows);
  const of = new Map<number, { table: string; tree: number }>();
  const totals: bigint[] = [];

  const weighted = (label: number, received: readonly string[]): Promise<string> => {
    const factors = received.map((_, at) => ` * m${at}.m`).join('');
    const joins = received.map(
      (name, at) => ` join ${name} m${at} on m${at}.probe = l.probe and m${at}.seq = l.seq`,
    );
    return scratch.table(
      `select l.probe as probe, l.seq as seq, l.seg as seg, toUInt256(1)${factors} as w from ${nameOf(label)} l${joins.join('')}`,
    );
  };
  const propagate = (isEarlier: boolean, from: string, to: number): Promise<string> =>
    scratch.table((isEarlier ? weightBefore : weightAfter)(session, from, nameOf(to)));

  for (const [tree, { root, edges }] of trees.entries()) {
    const up = new Map<number, string>();
    const down = new Map<number, string>();
    const below = (label: number, but = -1): string[] =>
      edges.flatMap((edge) =>
        edge.parent === label && edge.label !== but ? [up.get(edge.label) as string] : [],
      );
    const above = (label: number): string[] => {
      const name = down.get(label);
      return name === undefined ? [] : [name];
    };
    for (const { label, parent, isEarlier } of [...edges].reverse()) {
      up.set(label, await propagate(isEarlier, await weighted(label, below(label)), parent));
    }
    const top = await weighted(root, below(root));
    const [[total] = ['0']] = (await db.rows(`select toString(sum(w)) from ${top}`)) as [string][];
    totals.push(BigInt(total));
    if (wanted.has(root)) of.set(root, { table: top, tree });
    if (!edges.some(({ label }) => wanted.has(label))) continue;
    for (const { label, parent, isEarlier } of edges) {
      const rest = [...below(parent, label), ...above(parent)];
      down.set(label, await propagate(!isEarlier, await weighted(parent, rest), label));
      if (!wanted.has(label)) continue;
      of.set(label, { table: await weighted(label, [...below(label), ...above(label)]), tree });
    }
  }
  const total = totals.reduce((product, one) => product * one, 1n);
  const others = (tree: number): bigint =>
    totals.reduce((product, one, at) => (at === tree ? product : product * one), 1n);
  return {
    total,
    of: new Map(
      [...of].map(([label, { table, tree }]) => [
        label,
        { table: `(select probe, seq, w as c from ${table} where w > 0)`, factor: others(tree) },
      ]),
    ),
  };
}

interface Tree {
  readonly root: number;
  /** Each after the edge of its parent. */
  readonly edges: readonly Edge[];
}

function treesOf(labels: number, arrows: Work['query']['arrows']): readonly Tree[] {
  const seen = new Set<number>();
  const trees: Tree[] = [];
  for (let root = 0; root < labels; root++) {
    if (seen.has(root)) continue;
    seen.add(root);
    const edges: Edge[] = [];
    const open = [root];
    for (const parent of open) {
      for (const [earlier, later] of arrows) {
        const label = earlier === parent ? later : later === parent ? earlier : undefined;
        if (label === undefined || seen.has(label)) continue;
        seen.add(label);
        edges.push({ label, parent, isEarlier: label === earlier });
        open.push(label);
      }
    }
    trees.push({ root, edges });
  }
  return trees;
}
