import type { Span } from '../../source/index.js';

/*
 * The tree of a trace expression. Parentheses leave no node: `AND` and `OR` are flat (an operand of
 * an `and` is never itself an `and`), so trees that group alike are equal.
 */

/** What every node has; the span is that of its characters in the expression's text. */
export interface TreeNode<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

/** A word as the user means it: without backquotes or string quotes, escapes decoded. */
export interface Name extends TreeNode<'name'> {
  readonly text: string;
}

/** A complete expression: one without syntax findings. */
export interface Expression extends TreeNode<'expression'> {
  readonly match: Match;
  readonly when?: When;
  readonly filter?: Filter;
  readonly aggregate?: Aggregate;
}

export interface Match extends TreeNode<'match'> {
  readonly patterns: readonly Pattern[];
}

/** `(condition) AS label` */
export interface Pattern extends TreeNode<'pattern'> {
  readonly condition: Condition;
  readonly label: Name;
}

/** All the chains hold; their parentheses and `AND`s are not in the tree. */
export interface When extends TreeNode<'when'> {
  readonly chains: readonly Chain[];
}

/** `a -> b -> c`: at least two labels, and an arrow between each two (its span). */
export interface Chain extends TreeNode<'chain'> {
  readonly labels: readonly Name[];
  readonly arrows: readonly Span[];
}

export interface Filter extends TreeNode<'filter'> {
  readonly condition: Condition;
}

export interface Aggregate extends TreeNode<'aggregate'> {
  readonly measures: readonly Measure[];
}

/** A comparison over aggregate functions. */
export interface Measure extends TreeNode<'measure'> {
  readonly left: Term;
  readonly comparator: Comparator;
  readonly right: Term;
}

export type Term = Call | Literal;

/** `count()`, `max(label.attribute)`; a rule checks whether the function exists. */
export interface Call extends TreeNode<'call'> {
  readonly name: Name;
  readonly argument?: Operand | undefined;
}

export type Condition = Logical | Comparison | Located;

/** At least two operands, none of them of the same operator. */
export interface Logical extends TreeNode<'and' | 'or'> {
  readonly operands: readonly Condition[];
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

export type Operand = Attribute | Literal | Arithmetic;

/** `b.time - a.time`: read from the left. */
export interface Arithmetic extends TreeNode<'arithmetic'> {
  readonly first: Attribute | Literal;
  /** At least one. */
  readonly rest: readonly Summand[];
}

/** What is added or subtracted. */
export interface Summand {
  readonly sign: '+' | '-';
  readonly signSpan: Span;
  readonly operand: Attribute | Literal;
}

/** `a.b.c`, or `a.b.c @ probe`: the attribute of an event at that probe. */
export interface Attribute extends TreeNode<'attribute'> {
  /** At least one. */
  readonly path: readonly Name[];
  readonly probe?: Name | undefined;
}

export type Literal =
  | StringLiteral
  | IntegerLiteral
  | FloatLiteral
  | BooleanLiteral
  | DurationLiteral;

export interface LiteralNode<Kind extends string, Value> extends TreeNode<Kind> {
  readonly value: Value;
}

export type StringLiteral = LiteralNode<'string', string>;
/** Exact, and within 64 bits. */
export type IntegerLiteral = LiteralNode<'integer', bigint>;
/** Always finite. */
export type FloatLiteral = LiteralNode<'float', number>;
export type BooleanLiteral = LiteralNode<'boolean', boolean>;
/** `100ms`: nanoseconds, exact, and within 64 bits. */
export type DurationLiteral = LiteralNode<'duration', bigint>;

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** The clauses of an expression, and the keywords that open them. */
export type Clause = Match | When | Filter | Aggregate;
export type ClauseKind = Clause['kind'];

/**
 * What could be read of an expression, complete or not. A clause that is in
 * `broken` holds its healthy patterns, chains or measures, perhaps none; its
 * span is that of all its text.
 */
export interface Tree {
  readonly match?: Match | undefined;
  readonly when?: When | undefined;
  readonly filter?: Filter | undefined;
  readonly aggregate?: Aggregate | undefined;
  /** The labels that MATCH binds, in text order, also those of broken patterns. */
  readonly labels: readonly Name[];
  /** Whether `labels` has every label; otherwise one that is not in it may be bound too. */
  readonly labelsComplete: boolean;
  /** The clauses that are not as they were meant: misread in part, written twice, or MATCH missing. */
  readonly broken: ReadonlySet<ClauseKind>;
}

/** Whether a comparison holds, given the sign of left less right. */
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

/** The same comparison with its sides exchanged. */
export const MIRRORED: Readonly<Record<Comparator, Comparator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
