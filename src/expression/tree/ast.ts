import type { Span } from '../../source/index.js';

/*
 * The tree of a trace expression. Every node has the span of its characters in
 * the expression's text. Parentheses leave no node: `AND` and `OR` are flat
 * (an operand of an `and` is never itself an `and`), so trees that mean the
 * same grouping are equal.
 */

/** A word as the user means it: without backquotes or string quotes, escapes decoded. */
export interface Name {
  readonly kind: 'name';
  readonly span: Span;
  readonly text: string;
}

/** A complete expression, as a file without syntax findings has it. */
export interface Expression {
  readonly kind: 'expression';
  readonly span: Span;
  readonly match: Match;
  readonly when?: When;
  readonly filter?: Filter;
  readonly aggregate?: Aggregate;
}

export interface Match {
  readonly kind: 'match';
  readonly span: Span;
  readonly patterns: readonly Pattern[];
}

/** `(condition) AS label` */
export interface Pattern {
  readonly kind: 'pattern';
  readonly span: Span;
  readonly condition: Condition;
  readonly label: Name;
}

/** All the chains hold; their parentheses and `AND`s leave no trace. */
export interface When {
  readonly kind: 'when';
  readonly span: Span;
  readonly chains: readonly Chain[];
}

/** `a -> b -> c`: at least two labels, and an arrow between each two (its span). */
export interface Chain {
  readonly kind: 'chain';
  readonly span: Span;
  readonly labels: readonly Name[];
  readonly arrows: readonly Span[];
}

export interface Filter {
  readonly kind: 'filter';
  readonly span: Span;
  readonly condition: Condition;
}

export interface Aggregate {
  readonly kind: 'aggregate';
  readonly span: Span;
  readonly measures: readonly Measure[];
}

/** A comparison over aggregate functions. */
export interface Measure {
  readonly kind: 'measure';
  readonly span: Span;
  readonly left: Term;
  readonly comparator: Comparator;
  readonly right: Term;
}

export type Term = Call | Literal;

/** `count()`, `max(label.attribute)`: whether the function exists is a check's business. */
export interface Call {
  readonly kind: 'call';
  readonly span: Span;
  readonly name: Name;
  readonly argument?: Operand;
}

export type Condition = Logical | Comparison | Located;

/** At least two operands, none of them of the same operator. */
export interface Logical {
  readonly kind: 'and' | 'or';
  readonly span: Span;
  readonly operands: readonly Condition[];
}

export interface Comparison {
  readonly kind: 'comparison';
  readonly span: Span;
  readonly left: Operand;
  readonly comparator: Comparator;
  readonly right: Operand;
}

/** `event @ probe` as a condition: `name = 'event' AND probe = 'probe'`. */
export interface Located {
  readonly kind: 'located';
  readonly span: Span;
  readonly event: Name;
  readonly probe: Name;
}

export type Operand = Attribute | Literal | Arithmetic;

/** `b.time - a.time`: read from the left. */
export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly span: Span;
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
export interface Attribute {
  readonly kind: 'attribute';
  readonly span: Span;
  /** At least one. */
  readonly path: readonly Name[];
  readonly probe?: Name;
}

export type Literal =
  | StringLiteral
  | IntegerLiteral
  | FloatLiteral
  | BooleanLiteral
  | DurationLiteral;

export interface StringLiteral {
  readonly kind: 'string';
  readonly span: Span;
  readonly value: string;
}

/** Exact, and within 64 bits. */
export interface IntegerLiteral {
  readonly kind: 'integer';
  readonly span: Span;
  readonly value: bigint;
}

/** Always finite. */
export interface FloatLiteral {
  readonly kind: 'float';
  readonly span: Span;
  readonly value: number;
}

export interface BooleanLiteral {
  readonly kind: 'boolean';
  readonly span: Span;
  readonly value: boolean;
}

/** `100ms`: nanoseconds, exact, and within 64 bits. */
export interface DurationLiteral {
  readonly kind: 'duration';
  readonly span: Span;
  readonly value: bigint;
}

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** The clauses of an expression, and the keywords that open them. */
export type Clause = Match | When | Filter | Aggregate;
export type ClauseKind = Clause['kind'];

/**
 * What could be read of an expression, whole or not. A clause that is in
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
