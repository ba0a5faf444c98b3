import { type Comparator, MIRRORED_COMPARATORS } from '../../expression/index.js';
import { compareExact, type ExactNumber } from '../exact/number.js';
import type { Matches } from '../order/matches.js';
import { negate } from '../query/operand.js';
import type { Join, Query, QueryAbsence, QueryOperand, Summand } from '../query/query.js';

/** All requirements of an expression on two labels, with `u < v`. */
export interface Relation {
  readonly u: number;
  readonly v: number;
  /** 1 if u comes before v, -1 if v comes before u, 0 if WHEN does not order the two labels. */
  readonly order: -1 | 0 | 1;
  /** True if the two labels require distinct, concurrent events. */
  readonly isConcurrent: boolean;
  readonly equal: readonly Join[];
  readonly unequal: readonly Join[];
  readonly less: readonly Join[];
  /** Events that must not occur between the two labels' events. */
  readonly between: readonly BetweenEvents[];
}

/** Events that may lie between the events of two labels, as in `a -> x -> b`. */
export interface BetweenEvents {
  /** The label of the earlier end, `a`. */
  readonly earlier: number;
  readonly via: Matches;
  /** The relation's equalities that also apply to the events in between, with these events' operand. */
  readonly keys: readonly { readonly join: Join; readonly ofVia: QueryOperand }[];
}

/** Maximum number of `!=` comparisons between two labels. With more, inclusion-exclusion has too many cases. */
const MAX_INEQUALITIES = 3;

/** Returns a query's relations, the edges of the graph of its labels. */
export function relationsOf({ arrows, concurrent, joins }: Query): Relation[] {
  type Draft = { -readonly [Key in keyof Relation]: Relation[Key] };
  const relations = new Map<string, Draft>();
  const between = (u: number, v: number): Draft => {
    const relation = relations.get(`${u} ${v}`) ?? emptyRelation(u, v);
    relations.set(`${u} ${v}`, relation);
    return relation;
  };
  for (const [earlier, later] of arrows) {
    const relation = between(Math.min(earlier, later), Math.max(earlier, later));
    relation.order = earlier < later ? 1 : -1;
  }
  for (const [u, v] of concurrent) between(u, v).isConcurrent = true;
  for (const join of joins) {
    const relation = between(join.u, join.v);
    if (join.comparator === '=') relation.equal = [...relation.equal, join];
    else if (join.comparator === '!=') relation.unequal = [...relation.unequal, join];
    else relation.less = [...relation.less, join];
  }
  return [...relations.values()];
}

/**
 * Adds an absence to the relations. Returns undefined unless the absence is of events between two labels, with any key
 * or with the keys that the two labels share.
 */
export function addBetween(
  relations: readonly Relation[],
  { query, shared }: QueryAbsence,
  via: Matches,
): Relation[] | undefined {
  const { labels, arrows, concurrent, others: otherConjuncts, joins } = query;
  if (labels.length !== 3 || concurrent.length + otherConjuncts.length > 0) return undefined;
  const incomingArrow = arrows.find(([, later]) => later === 2);
  const from = arrows.find(([earlier]) => earlier === 2);
  if (arrows.length !== 2 || incomingArrow === undefined || from === undefined) return undefined;
  const [earlier, later] = [shared[incomingArrow[0]] as number, shared[from[1]] as number];
  const [u, v] = [Math.min(earlier, later), Math.max(earlier, later)];
  const foundRelation = relations.find((relation) => relation.u === u && relation.v === v);
  const relation = foundRelation ?? emptyRelation(u, v);
  const keys = new Map<Join, QueryOperand>();
  for (const { u: end, v: otherEnd, left, comparator, right } of joins) {
    // An event in between always differs from both ends.
    if (comparator === '!=' && left.kind === 'event') continue;
    if (comparator !== '=' || otherEnd !== 2) return undefined;
    const side = shared[end] === u ? 'left' : 'right';
    const join = relation.equal.find(
      (equality) => operandText(equality[side]) === operandText(left),
    );
    if (join === undefined) return undefined;
    const cached = keys.get(join);
    if (cached !== undefined && operandText(cached) !== operandText(right)) return undefined;
    keys.set(join, right);
  }
  const between = { earlier, via, keys: [...keys].map(([join, ofVia]) => ({ join, ofVia })) };
  const extended = { ...relation, between: [...relation.between, between] };
  return [...relations.filter((relation) => relation !== foundRelation), extended];
}

function emptyRelation(u: number, v: number): Relation {
  return { u, v, order: 0, isConcurrent: false, equal: [], unequal: [], less: [], between: [] };
}

/** Returns a text that is the same for operands that differ only in their label. */
function operandText(operand: QueryOperand | Summand): string {
  return JSON.stringify(operand, (key, value) => {
    if (key === 'label') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/** Maximum number of bounded differences in a countable relation. */
const MAX_RANGES = 2;
/** Maximum number of bounds in a monotone relation. */
const MAX_BOUNDS = 3;

/** True if weights can be propagated along a relation, so its pairs need not be listed. */
export function isCountable({ less, unequal }: Relation): boolean {
  return unequal.length <= MAX_INEQUALITIES && rangesOf(less).length <= MAX_RANGES;
}

/** True if propagating weights along a relation needs no subtraction, so the weights can be maxima. */
export function isMonotone({ isConcurrent, less, unequal, between }: Relation): boolean {
  const bounds = rangesOf(less).flatMap(({ upper, lower }) => [upper, lower]);
  const isWithin = bounds.filter((bound) => bound !== undefined).length <= MAX_BOUNDS;
  return !isConcurrent && between.length + unequal.length === 0 && isWithin;
}

/** The bounds of a difference, as in `10ms < b.time - a.time < 100ms`, or of a plain operand. */
export interface Bounds {
  readonly upper?: Join;
  readonly lower?: Join;
}

/** Groups bounds by difference, and keeps the narrowest upper and lower bound of each difference. */
export function rangesOf(less: readonly Join[]): Bounds[] {
  const ranges = new Map<string, Bounds>();
  for (const join of less) {
    const reversed = reverseJoin(join);
    const isTurned = reversed !== undefined && ranges.has(differenceText(reversed));
    const bound = isTurned ? reversed : join;
    const key = differenceText(bound);
    const existingBounds = ranges.get(key);
    const end = isUpper(bound.comparator) ? 'upper' : 'lower';
    ranges.set(key, { ...existingBounds, [end]: narrower(bound, existingBounds?.[end]) });
  }
  return [...ranges.values()];
}

/** The pairs between two bounds: the pairs that satisfy `inside` minus the pairs that satisfy `outside`. */
export interface Window {
  readonly isEmpty: boolean;
  readonly inside: Join;
  readonly outside: Join;
}

export function windowOf({ upper, lower }: Bounds): Window | undefined {
  if (upper === undefined || lower === undefined) return undefined;
  const outside = { ...lower, comparator: COMPLEMENT[lower.comparator] as Comparator };
  // Let D be the left terms minus the right terms. The window is D + c < 0 minus D + d <= 0. The subtracted pairs must
  // be a subset.
  const sign = compareExact(constantOf(lower), constantOf(upper));
  const isOpen = upper.comparator === '<' && lower.comparator === '>';
  return { isEmpty: sign < 0 || (sign === 0 && isOpen), inside: upper, outside };
}

const COMPLEMENT: Partial<Record<Comparator, Comparator>> = { '>': '<=', '>=': '<' };

function isUpper(comparator: Comparator): boolean {
  return comparator === '<' || comparator === '<=';
}

/** Returns a text that is the same for all bounds of one difference, and unique to any other comparison. */
function differenceText({ left, right, comparator, text }: Join): string {
  if (left.kind !== 'sum' || right.kind !== 'sum') return `${text} ${comparator}`;
  return [left, right].map(({ terms }) => terms.map(operandText).sort().join()).join(' - ');
}

/** Rewrites a bound as a bound of the opposite difference. Returns undefined if a side is not a sum. */
function reverseJoin({ left, comparator, right, ...join }: Join): Join | undefined {
  if (left.kind !== 'sum' || right.kind !== 'sum') return undefined;
  const reversed = {
    left: negate(left),
    comparator: MIRRORED_COMPARATORS[comparator],
    right: negate(right),
  };
  return { ...join, ...reversed };
}

/** Returns the narrower of two upper or two lower bounds of a difference. */
function narrower(bound: Join, current: Join | undefined): Join {
  if (current === undefined) return bound;
  // D + c < 0 is narrower for a larger c, and D + c > 0 for a smaller c.
  const sign = compareExact(constantOf(bound), constantOf(current));
  if (sign === 0) return bound.comparator.length === 1 ? bound : current;
  return sign > 0 === isUpper(bound.comparator) ? bound : current;
}

function constantOf({ left }: Join): ExactNumber {
  return left.kind === 'sum' ? left.constant : 0;
}
