import type { Span } from '../../source/index.js';

/*
 * The tree of a trace expression. Parentheses have no nodes. `AND` and `OR` are flat, because an
 * operand of an `and` is never itself an `and`. Sums and products are flat if flattening does not
 * change their value. Trees with the same grouping are therefore equal.
 */

/** The members of every node. The span covers the node's characters in the expression's text. */
export interface TreeNode<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

/** A name. `text` has no quotes or backquotes, and its escape sequences are decoded. */
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
   * True for a condition alone, which is short for `MATCH (condition) AS event`. `match` has that
   * pattern, with a label that is not in the text.
   */
  readonly bare?: true;
}

export interface Match extends TreeNode<'match'> {
  readonly patterns: readonly Pattern[];
}

/** A pattern: `(condition) AS label` or `NOT (condition) AS label`. */
export interface Pattern extends TreeNode<'pattern'> {
  /** True for NOT. No such event may exist, and the label is never bound. */
  readonly absent?: true;
  readonly condition: Condition;
  readonly label: Name;
}

/** Relations that must all hold. The tree omits their parentheses and `AND`s. */
export interface When extends TreeNode<'when'> {
  readonly relations: readonly RelationNode[];
}

export type RelationNode = Chain | PairNode;

/**
 * A chain such as `a -> b -> NEXT c WITHIN 5s`, with at least two labels and an arrow from each
 * label to the next.
 */
export interface Chain extends TreeNode<'chain'> {
  readonly labels: readonly Name[];
  readonly arrows: readonly ArrowNode[];
  /** Maximum time from the first label's event to the last label's event. */
  readonly within?: DurationLiteral;
}

/** An arrow: `->` or `-> NEXT`. */
export interface ArrowNode extends TreeNode<'arrow'> {
  readonly next?: true;
}

/** A pair of labels: `a || b` (concurrent) or `a != b` (distinct). */
export interface PairNode extends TreeNode<'concurrent' | 'distinct'> {
  readonly labels: readonly Name[];
  readonly signSpan: Span;
}

export interface Filter extends TreeNode<'filter'> {
  readonly condition: Condition;
}

export interface Aggregate extends TreeNode<'aggregate'> {
  /** The requirements, which must all hold. Commas separate them in the text. */
  readonly measures: readonly Requirement[];
  readonly by?: By;
}

/** A requirement in AGGREGATE or HAVING: a measure, or measures joined by AND or OR. */
export type Requirement = Measure | Combination;

/**
 * Requirements joined by AND or OR, such as `count() > 3 AND max(a.x) < 5`: at least two, none of
 * the same kind.
 */
export interface Combination extends TreeNode<'all' | 'any'> {
  readonly operands: readonly Requirement[];
}

/** The groups, as in `BY a.x, b HAVING count() >= 20 FOR 95%`. */
export interface By extends TreeNode<'by'> {
  /** The keys; never empty. */
  readonly keys: readonly Key[];
  /** The condition that a group must satisfy to be measured. */
  readonly having?: Requirement;
  /** The percentage of FOR: the minimum share of groups that must satisfy the measures. */
  readonly percent?: NumberLiteral;
}

/** A label, a label's attribute, or a window of time. */
export type Key = Name | Attribute | WindowNode;

/** A window of time, such as `window(a.time, 1s)`. */
export interface WindowNode extends TreeNode<'window'> {
  readonly time: Attribute;
  readonly size: DurationLiteral;
}

/** A comparison of terms that contain aggregate functions. */
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
  /** Only `session.start` or `session.end`. */
  | Attribute
  | Arithmetic<'sum', Term>
  | Arithmetic<'product', Term>;

/**
 * A call such as `count()`, `count(label)`, `max(label.attribute)` or
 * `percentile(label.attribute, 99)`. A rule checks that the function exists and accepts these
 * arguments.
 */
export interface Call extends TreeNode<'call'> {
  readonly name: Name;
  /** The label of `count(label)`. */
  readonly label?: Name;
  readonly argument?: Operand | undefined;
  readonly percent?: NumberLiteral;
}

/** A share, such as `share(label.attribute > 3)`. */
export interface ShareNode extends TreeNode<'share'> {
  readonly condition: Condition;
}

/** A value over the baseline sessions, such as `baseline(count())`. */
export interface Baseline extends TreeNode<'baseline'> {
  readonly term: Term;
}

export type Condition = Logical | Not | Comparison | Located | In | Glob | Exists;

/** Operands joined by AND or OR: at least two, none with the same operator. */
export interface Logical extends TreeNode<'and' | 'or'> {
  readonly operands: readonly Condition[];
}

/** A negated condition, such as `NOT (a.x = 1)`, `a.x NOT IN (1, 2)` or `a.x NOT GLOB '*'`. */
export interface Not extends TreeNode<'not'> {
  readonly operand: Condition;
  readonly signSpan: Span;
}

export interface Comparison extends TreeNode<'comparison'> {
  readonly left: Operand;
  readonly comparator: Comparator;
  readonly right: Operand;
}

/** An event at a probe as a condition. `event @ probe` is short for `name = 'event' AND probe = 'probe'`. */
export interface Located extends TreeNode<'located'> {
  readonly event: Name;
  readonly probe: Name;
}

/** A membership test, such as `a.x IN (1, 2)`. */
export interface In extends TreeNode<'in'> {
  readonly operand: Operand;
  /** The values; never empty. */
  readonly values: readonly Literal[];
  readonly signSpan: Span;
}

/** A pattern match, such as `a.x GLOB 'link-*'`. */
export interface Glob extends TreeNode<'glob'> {
  readonly operand: Operand;
  readonly pattern: StringLiteral;
  readonly signSpan: Span;
}

/** An existence test, such as `exists(a.x)`. */
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
 * A left-associative sum (`+`, `-`) or product (`*`, `/`) of at least two parts. In a sum, neither
 * `first` nor a part after `+` is a sum. In a product, neither `first` nor a part after `*` is a
 * product.
 */
export interface Arithmetic<Kind extends 'sum' | 'product', Part> extends TreeNode<Kind> {
  readonly first: Part;
  /** The parts after the first; never empty. */
  readonly rest: readonly StepNode<Part>[];
}

/** A part of a sum or a product, with the sign before it. */
export interface StepNode<Part> {
  readonly sign: '+' | '-' | '*' | '/';
  readonly signSpan: Span;
  readonly operand: Part;
}

/** A function of an operand, such as `abs(b.x - a.x)` or `lower(a.x)`. */
export interface OperandCall extends TreeNode<'abs' | 'lower'> {
  readonly operand: Operand;
}

/** An attribute such as `a.b.c`, or `a.b.c @ probe` for an event at that probe. */
export interface Attribute extends TreeNode<'attribute'> {
  /** The names of the path; never empty. */
  readonly path: readonly Name[];
  readonly probe?: Name | undefined;
}

export type Literal = StringLiteral | NumberLiteral | BooleanLiteral | DurationLiteral;

export interface LiteralNode<Kind extends string, Value> extends TreeNode<Kind> {
  readonly value: Value;
}

export type StringLiteral = LiteralNode<'string', string>;
export type NumberLiteral = IntegerLiteral | FloatLiteral;
/** An exact integer within 64 bits. */
export type IntegerLiteral = LiteralNode<'integer', bigint>;
/** A float as the nearest double, which is always finite. */
export interface FloatLiteral extends LiteralNode<'float', number> {
  /** The decimal as written, if the double's shortest text is a different number. */
  readonly written?: string;
}
export type BooleanLiteral = LiteralNode<'boolean', boolean>;
/** A duration such as `100ms`, in nanoseconds: an exact integer within 64 bits. */
export type DurationLiteral = LiteralNode<'duration', bigint>;

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A clause of an expression. */
export type Clause = Match | When | Filter | Aggregate;
export type ClauseKind = Clause['kind'];

/**
 * The parsable parts of an expression. A clause in `broken` contains only the valid patterns,
 * relations or measures, but the clause's span covers the whole text.
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
  /** True if `labels` is complete. If false, other labels may be bound too. */
  readonly labelsComplete: boolean;
  /**
   * The clauses that may differ from the intended clauses: partly unparsable, repeated or, for
   * MATCH, missing.
   */
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

/** Each comparator's equivalent when its operands are swapped. */
export const MIRRORED_COMPARATORS: Readonly<Record<Comparator, Comparator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
