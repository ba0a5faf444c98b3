import type { Relation } from './relation.js';

/** A label below another one, and what relates the two. */
export interface TreeEdge {
  readonly child: number;
  readonly parent: number;
  readonly relation: Relation;
}

/** Labels that relations connect without a circle; parents come before their children. */
export interface JoinTree {
  readonly root: number;
  readonly edges: readonly TreeEdge[];
}

/**
 * The trees that the relations make of the labels, or undefined where they make a circle.
 *
 * @param preferred the labels that are to be roots, where a tree has one
 */
export function joinTrees(
  labels: readonly number[],
  relations: readonly Relation[],
  preferred: ReadonlySet<number> = new Set(),
): JoinTree[] | undefined {
  const beside = new Map<number, Relation[]>(labels.map((label) => [label, []]));
  for (const relation of relations) {
    beside.get(relation.u)?.push(relation);
    beside.get(relation.v)?.push(relation);
  }
  const seen = new Set<number>();
  const grow = (root: number): JoinTree => {
    const edges: TreeEdge[] = [];
    seen.add(root);
    const open = [root];
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      for (const relation of beside.get(parent) as Relation[]) {
        const child = relation.u === parent ? relation.v : relation.u;
        if (seen.has(child)) continue;
        seen.add(child);
        open.push(child);
        edges.push({ child, parent, relation });
      }
    }
    return { root, edges };
  };
  const roots = [...labels].sort((a, b) => Number(preferred.has(b)) - Number(preferred.has(a)));
  const trees = roots.flatMap((label) => (seen.has(label) ? [] : [grow(label)]));
  const edges = trees.reduce((sum, tree) => sum + tree.edges.length, 0);
  return edges === relations.length ? trees : undefined;
}
