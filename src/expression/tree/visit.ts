import type {
  Aggregate,
  Chain,
  Condition,
  Expression,
  Filter,
  Literal,
  Match,
  Measure,
  Name,
  Operand,
  Pattern,
  Term,
  When,
} from './ast.js';
import { summandsOf } from './walk.js';

/** Any node of the tree of an expression. */
export type Node =
  | Expression
  | Match
  | Pattern
  | When
  | Chain
  | Filter
  | Aggregate
  | Measure
  | Term
  | Condition
  | Operand
  | Literal
  | Name;

/** What to do at the nodes of a kind, before their parts; `false` leaves the parts out. */
export type Visitor = {
  readonly [Kind in Node['kind']]?: (node: NodeOf<Kind>) => unknown;
};

/** Not `Extract`, which finds none for a kind that shares its shape with another: `and` and `or`. */
type NodeOf<Kind, Each = Node> = Each extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Each
    : never
  : never;

/** Visits a node and then its parts, in text order. */
export function visit(node: Node, visitor: Visitor): void {
  const enter = visitor[node.kind] as ((node: Node) => unknown) | undefined;
  if (enter?.(node) === false) return;
  for (const part of partsOf(node)) visit(part, visitor);
}

/** The nodes right below a node, in text order. */
export function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'arithmetic') return summandsOf(node);
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.span.start - b.span.start);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
