import type * as ast from './ast.js';

/** A condition without conditions in it. */
export type Leaf = ast.Comparison | ast.Located;

/** The comparisons and events of a condition, in text order. */
export function leavesOf(condition: ast.Condition): Leaf[] {
  const leaves: Leaf[] = [];
  collectLeaves(condition, leaves);
  return leaves;
}

/** Adds the comparisons and events of a condition to `leaves`, in text order. */
export function collectLeaves(condition: ast.Condition, leaves: Leaf[]): void {
  if (isLeaf(condition)) {
    leaves.push(condition);
    return;
  }
  for (const operand of condition.operands) collectLeaves(operand, leaves);
}

/** Whether a condition has no conditions in it. */
export function isLeaf(condition: ast.Condition): condition is Leaf {
  return condition.kind === 'comparison' || condition.kind === 'located';
}

/** The operands of an `and`, or the condition itself. */
export function conjunctsOf(condition: ast.Condition): readonly ast.Condition[] {
  return condition.kind === 'and' ? condition.operands : [condition];
}

/** The attributes of a comparison. */
export function attributesOf({ left, right }: ast.Comparison): readonly ast.Attribute[] {
  return [...attributesIn(left), ...attributesIn(right)];
}

/** The attributes of an operand. */
export function attributesIn(operand: ast.Operand): readonly ast.Attribute[] {
  if (operand.kind === 'attribute') return [operand];
  if (operand.kind !== 'arithmetic') return NONE;
  return summandsOf(operand).filter((summand) => summand.kind === 'attribute');
}

const NONE: readonly ast.Attribute[] = [];

/** What a function is given: nothing, a value alone, or what has an attribute. */
export function givenTo({ argument }: ast.Call): 'none' | 'value' | 'attribute' {
  if (argument === undefined) return 'none';
  return attributesIn(argument).length > 0 ? 'attribute' : 'value';
}

/** What an operand is the sum or the difference of, or itself. */
export function summandsOf(operand: ast.Operand): readonly (ast.Attribute | ast.Literal)[] {
  if (operand.kind !== 'arithmetic') return [operand];
  return [operand.first, ...operand.rest.map((summand) => summand.operand)];
}

/** Any node of the tree of an expression. */
export type Node =
  | ast.Expression
  | ast.Clause
  | ast.Pattern
  | ast.Chain
  | ast.Measure
  | ast.Term
  | ast.Condition
  | ast.Operand
  | ast.Name;

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

/** The names of the attributes in an expression, each once, in text order; without labels. */
export function attributeNames(expression: ast.Expression): readonly string[] {
  const labels = new Set(expression.match.patterns.map(({ label }) => label.text));
  const names = new Set<string>();
  visit(expression, {
    attribute({ path }) {
      const [first, ...rest] = path.map(({ text }) => text);
      const isLabelled = rest.length > 0 && labels.has(first ?? '');
      names.add((isLabelled ? rest : [first, ...rest]).join('.'));
    },
  });
  return [...names];
}
