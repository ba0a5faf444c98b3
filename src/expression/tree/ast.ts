import type { Span } from '../../source/index.js';

/*
 * The tree of a trace expression. Parentheses leave no node. `AND` and `OR` are flat (an operand of
 * an `and` is never itself an `and`), as are sums and products if that changes nothing. Trees with
 * the same grouping are therefore equal.
 */

/** The members of every node. The span is that of its characters in the expression's text. */
export interface TreeNode<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

/** A word's value: without backquotes or string quotes, escapes decoded. */
export interface Name extends TreeNode<'name'> {
  readonly text: string;
}

/** A complete expression, without syntax findings. */
export interface Expression extends TreeNode<'expression'> {
  readonly match: Match;
  readonly when?: When;
  readonly filter?: Filter;
  readonly aggregate?: Aggregate;
  /**
   * True for a condition alone, which is short for `MATCH (condition) AS event`: `match` has that
   * pattern, whose label is not in the text.
   */
  readonly bare?: true;
}

export interface Match extends TreeNode<'match'> {
  readonly patterns: readonly Pattern[];
}

/** `(condition) AS label`, `NOT (condition) AS label` */
export interface Pattern extends TreeNode<'pattern'> {
  /** True for NOT: there is no such event, and the label is never bound. */
  readonly absent?: true;
  readonly condition: Condition;
  readonly label: Name;
}

/** Relations that all hold; their parentheses and `AND`s are not in the tree. */
export interface When extends TreeNode<'when'> {
  readonly relations: readonly RelationNode[];
}

export type RelationNode = Chain | PairNode;

/** `a -> b -> NEXT c WITHIN 5s`: at least two labels, and an arrow from each to the next. */
export interface Chain extends TreeNode<'chain'> {
  readonly labels: readonly Name[];
  readonly arrows: readonly ArrowNode[];
  /** Maximum time from the first label to the last. */
  readonly within?: DurationLiteral;
}

/** `->` or `-> NEXT` */
export interface ArrowNode extends TreeNode<'arrow'> {
  readonly next?: true;
}

/** `a || b` (concurrent) or `a != b` (distinct): two labels. */
export interface PairNode extends TreeNode<'concurrent' | 'distinct'> {
  readonly labels: readonly Name[];
  readonly signSpan: Span;
}

export interface Filter extends TreeNode<'filter'> {
  readonly condition: Condition;
}

export interface Aggregate extends TreeNode<'aggregate'> {
  /** Separated by commas; all must hold. */
  readonly measures: readonly Requirement[];
  readonly by?: By;
}

/** A requirement of AGGREGATE or HAVING: a measure, or several with AND or OR between them. */
export type Requirement = Measure | Combination;

/** `count() > 3 AND max(a.x) < 5`, `count() = 0 OR max(a.x) < 5`: at least two operands, none of the same kind. */
export interface Combination extends TreeNode<'all' | 'any'> {
  readonly operands: readonly Requirement[];
}

/** `BY a.x, b HAVING count() >= 20 FOR 95%` */
export interface By extends TreeNode<'by'> {
  /** At least one. */
  readonly keys: readonly Key[];
  /** The condition for a group to be measured. */
  readonly having?: Requirement;
  /** The percentage of FOR: the minimum share of groups that must satisfy the measures. */
  readonly percent?: NumberLiteral;
}

/** A label, a label's attribute, or a window of time. */
export type Key = Name | Attribute | WindowNode;

/** `window(a.time, 1s)` */
export interface WindowNode extends TreeNode<'window'> {
  readonly time: Attribute;
  readonly size: DurationLiteral;
}

/** A comparison over aggregate functions. */
export interface Measure extends TreeNode<'measure'> {
  readonly left: Term;
  readonly comparator: Comparator;
  readonly right: Term;
}

export type Term =
  | Call
  | ShareNode
  | Baseline
  | Literal
  /** `session.start` or `session.end` */
  | Attribute
  | Arithmetic<'sum', Term>
  | Arithmetic<'product', Term>;

/**
 * `count()`, `count(label)`, `max(label.attribute)`, `percentile(label.attribute, 99)`. A rule
 * checks that the function exists and takes these arguments.
 */
export interface Call extends TreeNode<'call'> {
  readonly name: Name;
  /** For `count`. */
  readonly label?: Name;
  readonly argument?: Operand | undefined;
  readonly percent?: NumberLiteral;
}

/** `share(label.attribute > 3)` */
export interface ShareNode extends TreeNode<'share'> {
  readonly condition: Condition;
}

/** `baseline(count())` */
export interface Baseline extends TreeNode<'baseline'> {
  readonly term: Term;
}

export type Condition = Logical | Not | Comparison | Located | In | Glob | Exists;

/** At least two operands, none of them with the same operator. */
export interface Logical extends TreeNode<'and' | 'or'> {
  readonly operands: readonly Condition[];
}

/** `NOT (a.x = 1)`, `a.x NOT IN (1, 2)`, `a.x NOT GLOB '*'` */
export interface Not extends TreeNode<'not'> {
  readonly operand: Condition;
  readonly signSpan: Span;
}

export interface Comparison extends TreeNode<'comparison'> {
  readonly left: Operand;
  readonly comparator: Comparator;
  readonly right: Operand;
}

/** `event @ probe` as a condition: `name = 'event' AND probe = 'probe'`. */
export interface Located extends TreeNode<'located'> {
  readonly event: Name;
  readonly probe: Name;
}

/** `a.x IN (1, 2)` */
export interface In extends TreeNode<'in'> {
  readonly operand: Operand;
  /** At least one. */
  readonly values: readonly Literal[];
  readonly signSpan: Span;
}

/** `a.x GLOB 'link-*'` */
export interface Glob extends TreeNode<'glob'> {
  readonly operand: Operand;
  readonly pattern: StringLiteral;
  readonly signSpan: Span;
}

/** `exists(a.x)` */
export interface Exists extends TreeNode<'exists'> {
  readonly attribute: Attribute;
}

export type Operand =
  | Attribute
  | Literal
  | OperandCall
  | Arithmetic<'sum', Operand>
  | Arithmetic<'product', Operand>;

/**
 * A sum (`+`, `-`) or a product (`*`, `/`) of at least two parts, left-associative. In a sum, neither `first` nor a
 * part after `+` is a sum; in a product, neither `first` nor a part after `*` is a product.
 */
export interface Arithmetic<Kind extends 'sum' | 'product', Part> extends TreeNode<Kind> {
  readonly first: Part;
  /** At least one. */
  readonly rest: readonly StepNode<Part>[];
}

/** A part that is added, subtracted, multiplied by or divided by. */
export interface StepNode<Part> {
  readonly sign: '+' | '-' | '*' | '/';
  readonly signSpan: Span;
  readonly operand: Part;
}

/** `abs(b.x - a.x)`, `lower(a.x)` */
export interface OperandCall extends TreeNode<'abs' | 'lower'> {
  readonly operand: Operand;
}

/** `a.b.c`, or `a.b.c @ probe`: the attribute of an event at that probe. */
export interface Attribute extends TreeNode<'attribute'> {
  /** At least one. */
  readonly path: readonly Name[];
  readonly probe?: Name | undefined;
}

export type Literal = StringLiteral | NumberLiteral | BooleanLiteral | DurationLiteral;

export interface LiteralNode<Kind extends string, Value> extends TreeNode<Kind> {
  readonly value: Value;
}

export type StringLiteral = LiteralNode<'string', string>;
export type NumberLiteral = IntegerLiteral | FloatLiteral;
/** Exact, and within 64 bits. */
export type IntegerLiteral = LiteralNode<'integer', bigint>;
/** The nearest double, always finite. */
export interface FloatLiteral extends LiteralNode<'float', number> {
  /** The decimal as written, if the shortest text of the double is a different number. */
  readonly written?: string;
}
export type BooleanLiteral = LiteralNode<'boolean', boolean>;
/** `100ms`: nanoseconds, exact, and within 64 bits. */
export type DurationLiteral = LiteralNode<'duration', bigint>;

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** The clauses of an expression, and their keywords. */
export type Clause = Match | When | Filter | Aggregate;
export type ClauseKind = Clause['kind'];

/**
 * The parsable parts of an expression, complete or not. A clause that is in `broken` holds its
 * valid patterns, relations or measures, perhaps none; its span covers all its text.
 */
export interface Tree {
  readonly match?: Match | undefined;
  readonly when?: When | undefined;
  readonly filter?: Filter | undefined;
  readonly aggregate?: Aggregate | undefined;
  /** True for a condition alone, as in `Expression`. */
  readonly bare?: true | undefined;
  /** The labels that MATCH binds, in text order, including those of broken patterns. */
  readonly labels: readonly Name[];
  /** True if `labels` has every label. Otherwise another label may be bound too. */
  readonly labelsComplete: boolean;
  /** The clauses that differ from the intended ones: misread in part, written twice, or MATCH missing. */
  readonly broken: ReadonlySet<ClauseKind>;
}

/** True if a comparison holds, given the sign of left minus right. */
export function holds(comparator: Comparator, sign: number): boolean {
  switch (comparator) {
    case '=':
      return sign === 0;
    case '!=':
      return sign !== 0;
    case '<':
      return sign < 0;
    case '<=':
      return sign <= 0;
    case '>':
      return sign > 0;
    case '>=':
      return sign >= 0;
  }
}

/** The equivalent comparator with its sides swapped. */
export const MIRRORED: Readonly<Record<Comparator, Comparator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
