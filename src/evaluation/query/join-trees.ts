/** What connects two labels. */
export interface Link {
  readonly u: number;
  readonly v: number;
}

/** A label below another one, and what connects the two. */
export interface TreeEdge<L extends Link> {
  readonly child: number;
  readonly parent: number;
  readonly link: L;
}

/** Labels that links connect without a cycle; parents come before their children. */
export interface JoinTree<L extends Link> {
  readonly root: number;
  readonly edges: readonly TreeEdge<L>[];
}

/**
 * The trees that links make of the labels, or undefined where they make a cycle.
 *
 * @param preferred the labels that are to be roots, where a tree has one
 */
export function joinTrees<L extends Link>(
  labels: readonly number[],
  links: readonly L[],
  preferred: ReadonlySet<number> = new Set(),
): JoinTree<L>[] | undefined {
  const beside = new Map<number, L[]>(labels.map((label) => [label, []]));
  for (const link of links) {
    beside.get(link.u)?.push(link);
    beside.get(link.v)?.push(link);
  }
  const seen = new Set<number>();
  const grow = (root: number): JoinTree<L> => {
    const edges: TreeEdge<L>[] = [];
    seen.add(root);
    const open = [root];
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      for (const link of beside.get(parent) as L[]) {
        const child = link.u === parent ? link.v : link.u;
        if (seen.has(child)) continue;
        seen.add(child);
        open.push(child);
        edges.push({ child, parent, link });
      }
    }
    return { root, edges };
  };
  const roots = [...labels].sort((a, b) => Number(preferred.has(b)) - Number(preferred.has(a)));
  const trees = roots.flatMap((label) => (seen.has(label) ? [] : [grow(label)]));
  const edges = trees.reduce((sum, tree) => sum + tree.edges.length, 0);
  return edges === links.length ? trees : undefined;
}
