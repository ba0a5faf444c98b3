import { type Comparator, MIRRORED } from '../../expression/index.js';
import { compareExact, type Exact } from '../exact/number.js';
import type { Matches } from '../order/matches.js';
import { negated } from '../query/operand.js';
import type { Join, Query, QueryAbsence, QueryOperand, Summand } from '../query/query.js';

/** All requirements of an expression on two labels, `u < v`, together. */
export interface Relation {
  readonly u: number;
  readonly v: number;
  /** 1: u before v; -1: v before u; 0: WHEN does not order them. */
  readonly order: -1 | 0 | 1;
  /** Neither happened before the other, and they are different events. */
  readonly isConcurrent: boolean;
  readonly equal: readonly Join[];
  readonly unequal: readonly Join[];
  readonly less: readonly Join[];
  /** Events that must not occur between the two. */
  readonly between: readonly Between[];
}

/** Events that lie between those of two labels, in the order of time: `a -> x -> b`. */
export interface Between {
  /** The label of `a`. */
  readonly earlier: number;
  readonly via: Matches;
  /** Equalities of the relation that hold for the events in between too, with their operand. */
  readonly keys: readonly { readonly join: Join; readonly ofVia: QueryOperand }[];
}

/** Maximum number of `!=` between two labels. With more, inclusion and exclusion has too many cases. */
const MAX_INEQUALITIES = 3;

/** Returns the relations of a query: the edges of the graph of its labels. */
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
 * Adds an absence to the relations, if it is one of events between two labels, of any keys or of those that the two
 * have in common; else undefined.
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
    // Events in between are different anyway.
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

/** Returns a text that operands share if they are equal but for their label. */
function operandText(operand: QueryOperand | Summand): string {
  return JSON.stringify(operand, (key, value) => {
    if (key === 'label') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/** Maximum number of differences whose bounds are swept together. */
const MAX_RANGES = 2;
/** Maximum number of such bounds where nothing can be subtracted. */
const MAX_BOUNDS = 3;

/** True if weights can go along a relation, so its pairs need not be listed. */
export function isCountable({ less, unequal }: Relation): boolean {
  return unequal.length <= MAX_INEQUALITIES && rangesOf(less).length <= MAX_RANGES;
}

/** True if weights along a relation need no subtraction, and so can be maxima too. */
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

/** Returns the narrowest of several upper or lower bounds of one difference. */
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

/** The pairs between two bounds: those that satisfy `inside`, less those that satisfy `outside`. */
export interface Window {
  readonly isEmpty: boolean;
  readonly inside: Join;
  readonly outside: Join;
}

export function windowOf({ upper, lower }: Bounds): Window | undefined {
  if (upper === undefined || lower === undefined) return undefined;
  const outside = { ...lower, comparator: COMPLEMENT[lower.comparator] as Comparator };
  // With D = left terms - right terms: D + c < 0, less D + d <= 0, which must lie within.
  const sign = compareExact(constantOf(lower), constantOf(upper));
  const isOpen = upper.comparator === '<' && lower.comparator === '>';
  return { isEmpty: sign < 0 || (sign === 0 && isOpen), inside: upper, outside };
}

const COMPLEMENT: Partial<Record<Comparator, Comparator>> = { '>': '<=', '>=': '<' };

function isUpper(comparator: Comparator): boolean {
  return comparator === '<' || comparator === '<=';
}

/** Returns a text that bounds of one difference share; any other comparison has a text of its own. */
function differenceText({ left, right, comparator, text }: Join): string {
  if (left.kind !== 'sum' || right.kind !== 'sum') return `${text} ${comparator}`;
  return [left, right].map(({ terms }) => terms.map(operandText).sort().join()).join(' - ');
}

/** Returns the same bound of the opposite difference. */
function reverseJoin({ left, comparator, right, ...join }: Join): Join | undefined {
  if (left.kind !== 'sum' || right.kind !== 'sum') return undefined;
  const reversed = { left: negated(left), comparator: MIRRORED[comparator], right: negated(right) };
  return { ...join, ...reversed };
}

/** Returns the narrower of two upper or two lower bounds of a difference. */
function narrower(bound: Join, current: Join | undefined): Join {
  if (current === undefined) return bound;
  // D + c < 0 is narrower the larger c is, D + c > 0 the smaller it is.
  const sign = compareExact(constantOf(bound), constantOf(current));
  if (sign === 0) return bound.comparator.length === 1 ? bound : current;
  return sign > 0 === isUpper(bound.comparator) ? bound : current;
}

function constantOf({ left }: Join): Exact {
  return left.kind === 'sum' ? left.constant : 0;
}
