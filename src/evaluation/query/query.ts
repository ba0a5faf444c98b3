import type {
  AggregateFunction,
  Comparator,
  Expression,
  Fraction,
  Unit,
} from '../../expression/index.js';
import type { Exact } from '../exact/number.js';

/*
 * The engine's view of an expression: labels by number, the clauses taken apart into parts that concern one label,
 * two labels, or more.
 */

/** An attribute of the event that a label is bound to. */
export interface AttributeOf {
  readonly kind: 'attribute';
  readonly label: number;
  /** Dotted. */
  readonly name: string;
  /** Missing for an event of any other probe. */
  readonly at?: string;
  /** Its text in lower case; missing for any other value. */
  readonly isLower?: true;
}

/** The event itself, by its number in the session: it is equal only to itself. */
interface EventOf {
  readonly kind: 'event';
  readonly label: number;
}

/**
 * A linear combination: the constant plus the terms. It has a value where each term is a finite
 * number, and is missing elsewhere.
 */
export interface Sum {
  readonly kind: 'sum';
  readonly constant: Exact;
  readonly terms: readonly Summand[];
}

export interface Summand {
  /** Its factor. */
  readonly times: Exact;
  readonly of: AttributeOf | Product | AbsoluteValue;
  /**
   * Set if it is a whole side of a comparison, where an infinite value can be compared too: the sum is then
   * infinite.
   */
  readonly isAlone?: true;
}

/** At least two factors; it is missing if one of them is, or a divisor is zero. */
export interface Product {
  readonly kind: 'product';
  readonly factors: readonly { readonly sign: '*' | '/'; readonly of: Sum }[];
}

export interface AbsoluteValue {
  readonly kind: 'absolute';
  readonly of: Sum;
}

/** A written value; a number in its canonical form. */
export interface Constant {
  readonly kind: 'constant';
  readonly value: Exact | string | boolean;
}

/** An operand without a value for any event: a sum of something that is not a number. */
export interface Nothing {
  readonly kind: 'nothing';
  /** The labels that it mentions nevertheless. */
  readonly labels: readonly number[];
}

export type QueryOperand = AttributeOf | EventOf | Sum | Constant | Nothing;

export interface QueryComparison {
  readonly kind: 'comparison';
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
}

/** `a.x IN (1, 2)` */
export interface Membership {
  readonly kind: 'in';
  readonly operand: QueryOperand;
  readonly values: readonly Constant['value'][];
}

/** `a.x GLOB 'link-*'` */
interface Resemblance {
  readonly kind: 'glob';
  readonly operand: QueryOperand;
  readonly pattern: string;
}

/** `exists(a.x)` */
interface Existence {
  readonly kind: 'exists';
  readonly operand: QueryOperand;
}

/** A condition without conditions in it. */
export type LeafTest = QueryComparison | Membership | Resemblance | Existence;

/** A condition on the events that labels are bound to. */
export type Test =
  | LeafTest
  | { readonly kind: 'not'; readonly operand: Test }
  | { readonly kind: 'and'; readonly operands: readonly Test[] }
  | { readonly kind: 'or'; readonly operands: readonly Test[] };

/** A comparison between two labels: `left` mentions only label `u`, `right` only `v`, and `u < v`. */
export interface Join {
  readonly u: number;
  readonly v: number;
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
  /** The conjunct of FILTER that it comes from, as text for people. */
  readonly text: string;
}

/** A conjunct of FILTER that neither mentions just one label nor compares two. */
export interface Conjunct {
  readonly test: Test;
  /** Ascending. */
  readonly labels: readonly number[];
  readonly text: string;
}

export type QueryTerm =
  | { readonly kind: 'constant'; readonly value: Constant['value'] }
  /** A time of a session without times. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'count' }
  | ShareTerm
  | AggregateTerm
  | TermArithmetic
  | BaselineTerm;

/** A left-associative chain of `+` and `-`, or of `*` and `/`. */
interface TermArithmetic {
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
  /** The labels that the argument mentions, ascending. */
  readonly labels: readonly number[];
  /** For `percentile`. */
  readonly percent?: Fraction;
  /** Only for `count(label)`: the expression over whose bindings it is computed, in place of the query's own. */
  readonly component?: Expression;
  readonly text: string;
}

/** The fraction of the bindings that satisfy a condition. */
export interface ShareTerm {
  readonly kind: 'share';
  readonly condition: FilterParts;
  readonly text: string;
}

/** A condition divided by the number of labels that each conjunct mentions. */
export interface FilterParts {
  /** True if a part that mentions no label, or relates one to itself, is false. */
  readonly neverHolds: boolean;
  /** For each label, the conjuncts that mention only that label. */
  readonly filters: readonly (readonly Test[])[];
  readonly joins: readonly Join[];
  readonly others: readonly Conjunct[];
}

/** The keys that group bindings: all belong to one label. */
export interface QueryBy {
  readonly label: number;
  readonly keys: readonly QueryKey[];
  /** True if a conjunct of FILTER that mentions no label is false. */
  readonly hasNone: boolean;
  /** A condition on the groups to judge (default: all). */
  readonly having?: QueryRequirement;
  /** The percentage of judged groups that must satisfy the measures. */
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

/** A measure, or several with AND (`all`) or OR (`any`) between them. */
export type QueryRequirement =
  | QueryMeasure
  | {
      readonly kind: 'all' | 'any';
      readonly operands: readonly QueryRequirement[];
      readonly text: string;
    };

export interface QueryMeasure {
  readonly kind: 'measure';
  readonly left: QueryTerm;
  readonly comparator: Comparator;
  readonly right: QueryTerm;
  readonly text: string;
  /** The unit of its sides, if they are in nanoseconds. */
  readonly unit?: Unit;
}

export interface Query extends FilterParts {
  /** The labels that are bound. */
  readonly labels: readonly string[];
  /** The pattern of each label. */
  readonly patterns: readonly Test[];
  /** The arrows of WHEN, without those that others imply: [earlier, later]. */
  readonly arrows: readonly (readonly [number, number])[];
  /** The labels that arrows connect to a cycle of arrows: no events satisfy them. */
  readonly circular: ReadonlySet<number>;
  /** Pairs of labels neither of whose events happened before the other: [u, v], with `u < v`. */
  readonly concurrent: readonly (readonly [number, number])[];
  readonly absences: readonly QueryAbsence[];
  /** The labels of MATCH, in order: each is bound, or belongs to an absence. */
  readonly places: readonly LabelPlace[];
  /** Absent if the expression has no AGGREGATE. */
  readonly measures?: readonly QueryRequirement[];
  readonly by?: QueryBy;
}

/** Labels that are absent together. A binding is removed if it is part of a binding of their query. */
export interface QueryAbsence {
  /** Its first labels are bound ones, with patterns that all events satisfy. */
  readonly query: Query;
  /** The numbers of these first labels. */
  readonly shared: readonly number[];
  /** True if it is written as NOT, false for NEXT. */
  readonly isOfMatch: boolean;
  /** The part of the expression that it comes from, as text for people. */
  readonly text: string;
}

interface LabelPlace {
  readonly label: string;
  /** Its number among the bound ones, or in the query of the absence. */
  readonly number: number;
  /** For an absent label, the absence that it is in. */
  readonly absence?: number;
}

/** The earliest and the latest time of a session's events, if they have any. */
export interface SessionTimes {
  readonly start?: Exact;
  readonly end?: Exact;
}

/** A connection of two labels. */
export interface Link {
  readonly u: number;
  readonly v: number;
}

/** A label below another one, and the link between the two. */
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
 * Returns the trees that links form of the labels, or undefined if they form a cycle.
 *
 * @param preferred labels to choose as roots, if a tree has one
 */
export function joinTrees<L extends Link>(
  labels: readonly number[],
  links: readonly L[],
  preferred: ReadonlySet<number> = new Set(),
): JoinTree<L>[] | undefined {
  const adjacent = new Map<number, L[]>(labels.map((label) => [label, []]));
  for (const link of links) {
    adjacent.get(link.u)?.push(link);
    adjacent.get(link.v)?.push(link);
  }
  const visited = new Set<number>();
  const grow = (root: number): JoinTree<L> => {
    const edges: TreeEdge<L>[] = [];
    visited.add(root);
    const pending = [root];
    for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
      for (const link of adjacent.get(parent) as L[]) {
        const child = link.u === parent ? link.v : link.u;
        if (visited.has(child)) continue;
        visited.add(child);
        pending.push(child);
        edges.push({ child, parent, link });
      }
    }
    return { root, edges };
  };
  const roots = [...labels].sort((a, b) => Number(preferred.has(b)) - Number(preferred.has(a)));
  const trees = roots.flatMap((label) => (visited.has(label) ? [] : [grow(label)]));
  const edges = trees.reduce((sum, tree) => sum + tree.edges.length, 0);
  return edges === links.length ? trees : undefined;
}
