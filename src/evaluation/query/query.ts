import type {
  AggregateFunction,
  Comparator,
  Expression,
  Fraction,
  Unit,
} from '../../expression/index.js';
import type { ExactNumber } from '../exact/number.js';

/*
 * The engine's form of an expression. Labels are numbers, and clauses are split into parts that concern one label, two
 * labels or more labels.
 */

/** An attribute of the event that a label is bound to. */
export interface LabelAttribute {
  readonly kind: 'attribute';
  readonly label: number;
  /** The attribute's dotted name. */
  readonly name: string;
  /** The probe in `@ probe`. The attribute is missing for events of other probes. */
  readonly at?: string;
  /** Set for `lower()`: the value is the string in lower case, and missing unless the attribute is a string. */
  readonly isLower?: true;
}

/** The event itself, identified by its number in the session. An event is equal only to itself. */
interface LabelEvent {
  readonly kind: 'event';
  readonly label: number;
}

/** A linear combination: the constant plus the terms. Its value is missing unless each term is a finite number. */
export interface Sum {
  readonly kind: 'sum';
  readonly constant: ExactNumber;
  readonly terms: readonly Summand[];
}

export interface Summand {
  /** The term's factor. */
  readonly times: ExactNumber;
  readonly of: LabelAttribute | Product | AbsoluteValue;
  /** Set if the term is a whole side of a comparison. The term may then be infinite, which makes the sum infinite. */
  readonly isAlone?: true;
}

/** A product or quotient of at least two factors. Its value is missing if a factor is missing or a divisor is zero. */
export interface Product {
  readonly kind: 'product';
  readonly factors: readonly { readonly sign: '*' | '/'; readonly of: Sum }[];
}

export interface AbsoluteValue {
  readonly kind: 'absolute';
  readonly of: Sum;
}

/** A literal's value. Numbers are in canonical form. */
export interface Constant {
  readonly kind: 'constant';
  readonly value: ExactNumber | string | boolean;
}

/** An operand without a value for any event, such as a sum of strings. */
export interface NoValue {
  readonly kind: 'nothing';
  /** The labels mentioned by the operand. */
  readonly labels: readonly number[];
}

export type QueryOperand = LabelAttribute | LabelEvent | Sum | Constant | NoValue;

export interface QueryComparison {
  readonly kind: 'comparison';
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
}

/** A membership test, such as `a.x IN (1, 2)`. */
export interface Membership {
  readonly kind: 'in';
  readonly operand: QueryOperand;
  readonly values: readonly Constant['value'][];
}

/** A glob match, such as `a.x GLOB 'link-*'`. */
interface GlobMatch {
  readonly kind: 'glob';
  readonly operand: QueryOperand;
  readonly pattern: string;
}

/** An existence test, such as `exists(a.x)`. */
interface Existence {
  readonly kind: 'exists';
  readonly operand: QueryOperand;
}

/** A condition without nested conditions. */
export type LeafTest = QueryComparison | Membership | GlobMatch | Existence;

/** A condition on the events that labels are bound to. */
export type Test =
  | LeafTest
  | { readonly kind: 'not'; readonly operand: Test }
  | { readonly kind: 'and'; readonly operands: readonly Test[] }
  | { readonly kind: 'or'; readonly operands: readonly Test[] };

/** A comparison between two labels. `left` mentions only label `u`, `right` only label `v`, and `u < v`. */
export interface Join {
  readonly u: number;
  readonly v: number;
  readonly left: QueryOperand;
  readonly comparator: Comparator;
  readonly right: QueryOperand;
  /** The original FILTER conjunct, as displayed. */
  readonly text: string;
}

/** A FILTER conjunct that is neither a single-label condition nor a join. */
export interface Conjunct {
  readonly test: Test;
  /** The labels mentioned by `test`, ascending. */
  readonly labels: readonly number[];
  readonly text: string;
}

export type QueryTerm =
  | { readonly kind: 'constant'; readonly value: Constant['value'] }
  /** The start or end time of a session without times. */
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

/** A term's value over the baseline sessions. */
export interface BaselineTerm {
  readonly kind: 'baseline';
  readonly term: QueryTerm;
  readonly text: string;
}

export interface AggregateTerm {
  readonly kind: 'aggregate';
  readonly function: AggregateFunction;
  readonly argument: QueryOperand;
  /** The labels mentioned by the argument, ascending. */
  readonly labels: readonly number[];
  /** The percentage of `percentile`. */
  readonly percent?: Fraction;
  /** Only for `count(label)`: the expression whose bindings are aggregated instead of the query's own bindings. */
  readonly component?: Expression;
  readonly text: string;
}

/** The fraction of the bindings that satisfy a condition. */
export interface ShareTerm {
  readonly kind: 'share';
  readonly condition: FilterParts;
  readonly text: string;
}

/** A condition's conjuncts, grouped by the number of labels that each conjunct mentions. */
export interface FilterParts {
  /** True if a label-free conjunct is false, or a label is related to itself in an impossible way. */
  readonly neverHolds: boolean;
  /** For each label, the conjuncts that mention no other label. */
  readonly filters: readonly (readonly Test[])[];
  readonly joins: readonly Join[];
  readonly others: readonly Conjunct[];
}

/** The keys by which bindings are grouped. All keys belong to one label. */
export interface QueryGroups {
  readonly label: number;
  readonly keys: readonly QueryKey[];
  /** True if a label-free FILTER conjunct is false, so there are no groups. */
  readonly hasNone: boolean;
  /** A condition that selects the groups to judge (default: all). */
  readonly having?: QueryRequirement;
  /** The percentage of judged groups that must satisfy the measures. */
  readonly percent: Fraction;
}

export type QueryKey =
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'value'; readonly attribute: LabelAttribute; readonly text: string }
  | {
      readonly kind: 'window';
      readonly time: LabelAttribute;
      /** The window's size in nanoseconds. */
      readonly size: bigint;
      readonly text: string;
    };

/** A measure, or several requirements joined by AND (`all`) or OR (`any`). */
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
  /** The unit in which to display both sides, if their values are in nanoseconds. */
  readonly unit?: Unit;
}

export interface Query extends FilterParts {
  /** The bound labels' names. */
  readonly labels: readonly string[];
  /** Each label's pattern. */
  readonly patterns: readonly Test[];
  /** The arrows of WHEN as [earlier, later], without arrows implied by other arrows. */
  readonly arrows: readonly (readonly [number, number])[];
  /** The labels that arrows connect to a cycle of arrows. No events satisfy a cycle. */
  readonly circular: ReadonlySet<number>;
  /** Pairs of labels with concurrent events, as [u, v] with `u < v`. */
  readonly concurrent: readonly (readonly [number, number])[];
  readonly absences: readonly QueryAbsence[];
  /** The labels of MATCH, in order. Each label is bound or belongs to an absence. */
  readonly places: readonly LabelPlace[];
  /** The requirements of AGGREGATE; absent if the expression has no AGGREGATE. */
  readonly measures?: readonly QueryRequirement[];
  readonly by?: QueryGroups;
}

/** Labels that must be absent together. A binding is removed if it can be extended to a binding of `query`. */
export interface QueryAbsence {
  /** The query of the absent labels. Its first labels are the shared labels, with patterns that all events satisfy. */
  readonly query: Query;
  /** The numbers of the shared labels in the outer query. */
  readonly shared: readonly number[];
  /** True for an absence written as NOT, false for an absence implied by NEXT. */
  readonly isOfMatch: boolean;
  /** The original part of the expression, as displayed. */
  readonly text: string;
}

interface LabelPlace {
  readonly label: string;
  /** The label's number among the bound labels, or in the absence's query. */
  readonly number: number;
  /** For an absent label, the index of its absence. */
  readonly absence?: number;
}

/** A session's earliest and latest event times, if events have times. */
export interface SessionTimes {
  readonly start?: ExactNumber;
  readonly end?: ExactNumber;
}

/** A connection between two labels. */
export interface Link {
  readonly u: number;
  readonly v: number;
}

/** A label, its parent, and the link between the two labels. */
export interface TreeEdge<L extends Link> {
  readonly child: number;
  readonly parent: number;
  readonly link: L;
}

/** A tree of labels connected by links. Parents precede their children. */
export interface JoinTree<L extends Link> {
  readonly root: number;
  readonly edges: readonly TreeEdge<L>[];
}

/**
 * Returns the trees that the links form, or undefined if the links form a cycle.
 *
 * @param preferred labels to prefer as roots
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
