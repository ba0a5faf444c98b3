import type { AggregateFunction, Comparator, Fraction } from '../../expression/index.js';
import type { Exact } from '../exact/number.js';

/*
 * What of an expression the engine needs: labels by number, the clauses taken
 * apart into what concerns one label, two labels, or more.
 */

/** An attribute of the event that a label is bound to. */
export interface AttributeOf {
  readonly kind: 'attribute';
  readonly label: number;
  /** Dotted. */
  readonly name: string;
  /** Counts as missing for an event of any other probe. */
  readonly at?: string;
}

/**
 * A linear combination of attributes: the constant plus the terms. It has a value where each
 * attribute is a finite number, and is missing elsewhere.
 */
export interface Sum {
  readonly kind: 'sum';
  readonly constant: Exact;
  readonly terms: readonly { readonly sign: 1 | -1; readonly attribute: AttributeOf }[];
}

/** A written value; a number in its canonical form. */
export interface Constant {
  readonly kind: 'constant';
  readonly value: Exact | string | boolean;
}

/** What has no value for any event: a sum of something that is no number. */
export interface Nothing {
  readonly kind: 'nothing';
  /** It speaks of them all the same. */
  readonly labels: readonly number[];
}

export type QueryOperand = AttributeOf | Sum | Constant | Nothing;

export interface QueryComparison {
  readonly kind: 'comparison';
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
}

/** A condition on the events that labels are bound to. */
export type Test =
  | QueryComparison
  | { readonly kind: 'and'; readonly operands: readonly Test[] }
  | { readonly kind: 'or'; readonly operands: readonly Test[] };

/** A comparison between two labels: `left` speaks of label `u` alone, `right` of `v`, and `u < v`. */
export interface Join {
  readonly u: number;
  readonly v: number;
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
  /** The conjunct of FILTER that it is, for people. */
  readonly text: string;
}

/** A conjunct of FILTER that is neither of one label nor a comparison of two. */
export interface Conjunct {
  readonly test: Test;
  /** Ascending. */
  readonly labels: readonly number[];
  readonly text: string;
}

export type QueryTerm = TermLeaf | TermArithmetic | BaselineTerm;

/** What is computed from bindings, or written. */
export type TermLeaf =
  | { readonly kind: 'constant'; readonly value: Constant['value'] }
  | { readonly kind: 'count' }
  | ShareTerm
  | AggregateTerm;

/** A sum or a product, read from the left. */
export interface TermArithmetic {
  readonly kind: 'arithmetic';
  readonly first: QueryTerm;
  readonly rest: readonly { readonly sign: '+' | '-' | '*' | '/'; readonly term: QueryTerm }[];
}

/** The value of a term over the sessions of the baseline. */
export interface BaselineTerm {
  readonly kind: 'baseline';
  readonly term: QueryTerm;
  readonly text: string;
}

export interface AggregateTerm {
  readonly kind: 'aggregate';
  readonly function: AggregateFunction;
  readonly argument: QueryOperand;
  /** The labels that the argument speaks of, ascending. */
  readonly labels: readonly number[];
  /** Of `percentile`. */
  readonly percent?: Fraction;
  readonly text: string;
}

/** The fraction of the bindings that satisfy a condition. */
export interface ShareTerm {
  readonly kind: 'share';
  readonly condition: FilterParts;
  readonly text: string;
}

/** A condition taken apart by how many labels each conjunct speaks of. */
export interface FilterParts {
  /** Whether a conjunct that speaks of no label is false. */
  readonly neverHolds: boolean;
  /** For each label the conjuncts that speak of it alone. */
  readonly filters: readonly (readonly Test[])[];
  readonly joins: readonly Join[];
  readonly others: readonly Conjunct[];
}

/** What makes groups of bindings: all keys are of one label. */
export interface QueryBy {
  readonly label: number;
  readonly keys: readonly QueryKey[];
  /** How many percent of the groups must satisfy the measures. */
  readonly percent: Fraction;
}

export type QueryKey =
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'value'; readonly attribute: AttributeOf; readonly text: string }
  | {
      readonly kind: 'window';
      readonly time: AttributeOf;
      /** In nanoseconds. */
      readonly size: bigint;
      readonly text: string;
    };

export interface QueryMeasure {
  readonly left: QueryTerm;
  readonly comparator: Comparator;
  readonly right: QueryTerm;
  readonly text: string;
}

export interface Query extends FilterParts {
  readonly labels: readonly string[];
  /** For each label its pattern. */
  readonly patterns: readonly Test[];
  /** The arrows of WHEN, without those that others imply: [earlier, later]. */
  readonly arrows: readonly (readonly [number, number])[];
  /** The labels that arrows connect with a cycle of arrows: there are no events for them. */
  readonly circular: ReadonlySet<number>;
  /** Absent where the expression has no AGGREGATE. */
  readonly measures?: readonly QueryMeasure[];
  readonly by?: QueryBy;
}
