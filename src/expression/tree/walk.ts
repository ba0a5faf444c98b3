import type * as ast from './ast.js';

/** A condition that contains no other conditions. */
export type Leaf = Exclude<ast.Condition, ast.Logical | ast.Not>;

/** Returns the leaves of a condition, in text order. */
export function leavesOf(condition: ast.Condition): Leaf[] {
  if (condition.kind === 'not') return leavesOf(condition.operand);
  return isLeaf(condition) ? [condition] : condition.operands.flatMap(leavesOf);
}

/** True if a condition contains no other conditions. */
export function isLeaf(condition: ast.Condition): condition is Leaf {
  return condition.kind !== 'and' && condition.kind !== 'or' && condition.kind !== 'not';
}

/** Returns the operands of an `and`, or the condition itself. */
export function conjunctsOf(condition: ast.Condition): readonly ast.Condition[] {
  return condition.kind === 'and' ? condition.operands : [condition];
}

/** Returns a leaf's operands in text order, excluding IN and GLOB literals. */
export function operandsOf(leaf: Leaf): readonly ast.Operand[] {
  switch (leaf.kind) {
    case 'comparison':
      return [leaf.left, leaf.right];
    case 'in':
    case 'glob':
      return [leaf.operand];
    case 'exists':
      return [leaf.attribute];
    case 'located':
      return NO_ATTRIBUTES;
  }
}

/** Returns the attributes of a leaf. */
export function attributesOf(leaf: Leaf): readonly ast.Attribute[] {
  if (leaf.kind !== 'comparison') return operandsOf(leaf).flatMap(attributesIn);
  const [left, right] = [attributesIn(leaf.left), attributesIn(leaf.right)];
  // Avoids a copy, because nearly all comparisons have attributes on one side only.
  return right.length === 0 ? left : [...left, ...right];
}

/** Returns the attributes of an operand. */
export function attributesIn(operand: ast.Operand): readonly ast.Attribute[] {
  if (operand.kind === 'attribute') return [operand];
  if (isOperandCall(operand)) return attributesIn(operand.operand);
  if (!isArithmetic(operand)) return NO_ATTRIBUTES;
  return partsOfArithmetic(operand).flatMap(attributesIn);
}

const NO_ATTRIBUTES: readonly never[] = [];

/** True if an operand is a function of another operand. */
export function isOperandCall(part: ast.Operand | ast.Term): part is ast.OperandCall {
  return part.kind === 'abs' || part.kind === 'lower';
}

/**
 * Returns the kind of a function's argument: nothing, a label, a value alone, or an operand with an
 * attribute.
 */
export function argumentKindOf({
  label,
  argument,
}: ast.Call): 'none' | 'label' | 'value' | 'attribute' {
  if (argument === undefined) return label === undefined ? 'none' : 'label';
  return attributesIn(argument).length > 0 ? 'attribute' : 'value';
}

/** True if an operand or a term is a sum or a product. */
export function isArithmetic<Part extends ast.Operand | ast.Term>(
  part: Part,
): part is Extract<Part, { readonly kind: 'sum' | 'product' }> {
  return part.kind === 'sum' || part.kind === 'product';
}

/** True if an operand or a term is a literal. */
export function isLiteral(part: ast.Operand | ast.Term): part is ast.Literal {
  return LITERALS.has(part.kind);
}

const LITERALS: ReadonlySet<string> = new Set<ast.Literal['kind']>([
  ...(['string', 'integer', 'float', 'boolean', 'duration'] as const),
]);

/** Returns the parts of a sum or a product, without their signs. */
export function partsOfArithmetic<Part>({
  first,
  rest,
}: ast.Arithmetic<'sum' | 'product', Part>): Part[] {
  return [first, ...rest.map((step) => step.operand)];
}

/** Returns the requirements that must all hold. AND separates requirements like a comma. */
export function splitRequirements(measures: readonly ast.Requirement[]): ast.Requirement[] {
  return measures.flatMap((requirement) =>
    requirement.kind === 'all' ? requirement.operands : [requirement],
  );
}

/** Conditions or requirements joined by AND or OR. */
export type JoinedNode = Extract<ast.Condition | ast.Requirement, { readonly operands: unknown }>;

/** True if a condition or a requirement has AND or OR outside parentheses. */
export function isJoined(node: ast.Condition | ast.Requirement): node is JoinedNode {
  return 'operands' in node;
}

/** Returns the measures of requirements, in text order. */
export function measuresIn(requirements: readonly ast.Requirement[]): ast.Measure[] {
  return requirements.flatMap((requirement) =>
    requirement.kind === 'measure' ? [requirement] : measuresIn(requirement.operands),
  );
}

/** Returns the measures in AGGREGATE and its HAVING, in text order. */
export function measuresOf({ aggregate }: Pick<ast.Tree, 'aggregate'>): ast.Measure[] {
  if (aggregate === undefined) return [];
  const { measures, by } = aggregate;
  return measuresIn(by?.having === undefined ? measures : [...measures, by.having]);
}

/** Returns the function calls in terms, including calls in `baseline`, in text order. */
export function callsIn(...terms: readonly ast.Term[]): ast.Call[] {
  return terms.flatMap(insideBaselines).filter((leaf) => leaf.kind === 'call');
}

/** Returns the shares in terms, including shares in `baseline`, in text order. */
export function sharesIn(...terms: readonly ast.Term[]): ast.ShareNode[] {
  return terms.flatMap(insideBaselines).filter((leaf) => leaf.kind === 'share');
}

function insideBaselines(term: ast.Term): ReturnType<typeof leavesOfTerm> {
  if (term.kind === 'baseline') return insideBaselines(term.term);
  return isArithmetic(term) ? partsOfArithmetic(term).flatMap(insideBaselines) : [term];
}

/** Returns the functions, shares, values and session times in a term, in text order. */
export function leavesOfTerm(
  term: ast.Term,
): Exclude<ast.Term, ast.Arithmetic<'sum' | 'product', ast.Term>>[] {
  return isArithmetic(term) ? partsOfArithmetic(term).flatMap(leavesOfTerm) : [term];
}

/** Any node of an expression's tree. */
export type Node =
  | ast.Expression
  | ast.Clause
  | ast.Pattern
  | ast.RelationNode
  | ast.ArrowNode
  | ast.By
  | ast.Key
  | ast.Requirement
  | ast.Term
  | ast.Condition
  | ast.Operand
  | ast.Name;

/**
 * Callbacks by node kind, called before a node's parts are visited. A callback that returns `false`
 * skips the parts.
 */
export type Visitor = {
  readonly [Kind in Node['kind']]?: (node: NodeOf<Kind>) => unknown;
};

/**
 * Selects the nodes of a kind. `Extract` would find no node for a kind that shares its type with
 * another kind, such as `and` and `or`.
 */
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

/** Returns the nodes directly below a node, in text order. */
export function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'sum' || node.kind === 'product') return partsOfArithmetic<Node>(node);
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.span.start - b.span.start);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Returns the distinct names of an expression's attributes, without labels, in text order. */
export function attributeNames(expression: ast.Expression): readonly string[] {
  const labels = new Set(expression.match.patterns.map(({ label }) => label.text));
  const names = new Set<string>();
  visit(expression, {
    // In a pattern, an attribute has no label, so `a.b` is its name even if `a` is a label.
    pattern({ condition }) {
      visit(condition, { attribute: ({ path }) => names.add(dotted(path)) });
      return false;
    },
    attribute: ({ path }) => names.add(withoutLabel(path, labels)),
  });
  return [...names];
}

/** Returns an attribute's dotted name, without its label. */
export function withoutLabel(path: readonly ast.Name[], labels: ReadonlySet<string>): string {
  const isLabelled = path.length > 1 && labels.has(path[0]?.text ?? '');
  return dotted(isLabelled ? path.slice(1) : path);
}

/** Joins the names of a path with dots. */
export function dotted(path: readonly ast.Name[]): string {
  return path.map(({ text }) => text).join('.');
}
