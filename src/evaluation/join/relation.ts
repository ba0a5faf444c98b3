import type { Comparator } from '../../expression/index.js';
import { compareExact } from '../exact/number.js';
import type { Join, Query, Sum } from '../query/query.js';

/** All that an expression asks of two labels, `u < v`, together. */
export interface Relation {
  readonly u: number;
  readonly v: number;
  /** 1: u before v; -1: v before u; 0: WHEN says nothing of them. */
  readonly order: -1 | 0 | 1;
  /** Neither happened before the other, and they are two. */
  readonly isConcurrent: boolean;
  readonly equal: readonly Join[];
  readonly unequal: readonly Join[];
  readonly less: readonly Join[];
}

/** Beyond this many `!=` between two labels, the cases of inclusion and exclusion are too many. */
const MOST_UNEQUAL = 3;

/** The relations of a query: the edges of the graph of its labels. */
export function relationsOf({ arrows, concurrent, joins }: Query): Relation[] {
  const relations = new Map<string, { -readonly [Key in keyof Relation]: Relation[Key] }>();
  const between = (u: number, v: number) => {
    const key = `${u} ${v}`;
    const found = relations.get(key);
    if (found !== undefined) return found;
    const order = 0 as const;
    const made = { u, v, order, isConcurrent: false, equal: [], unequal: [], less: [] };
    relations.set(key, made);
    return made;
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

/** Whether weights can go along a relation, so that its pairs need not be listed. */
export function isCountable({ isConcurrent, less, unequal }: Relation): boolean {
  return (
    !isConcurrent &&
    unequal.length <= MOST_UNEQUAL &&
    (less.length <= 1 || windowOf(less) !== undefined)
  );
}

/** Whether that needs no subtraction, so that weights can be maxima too. */
export function isMonotone({ isConcurrent, less, unequal }: Relation): boolean {
  return !isConcurrent && unequal.length === 0 && less.length <= 1;
}

/** A difference between two bounds, as what satisfies `inside`, less what satisfies `outside`. */
export interface Window {
  readonly isEmpty: boolean;
  readonly inside: Join;
  readonly outside: Join;
}

/** The two bounds of one and the same difference, such as `10ms < b.time - a.time < 100ms`. */
export function windowOf(less: readonly Join[]): Window | undefined {
  const [first, second] = less;
  if (first === undefined || second === undefined || less.length > 2) return undefined;
  const upper = isUpper(first.comparator) ? first : second;
  const lower = upper === first ? second : first;
  if (!isUpper(upper.comparator) || isUpper(lower.comparator)) return undefined;
  if (upper.left.kind !== 'sum' || lower.left.kind !== 'sum') return undefined;
  if (termsText(upper.left) !== termsText(lower.left)) return undefined;
  if (termsText(upper.right as Sum) !== termsText(lower.right as Sum)) return undefined;
  const outside = { ...lower, comparator: COMPLEMENT[lower.comparator] as Comparator };
  // With D = left terms - right terms: D + c < 0, less D + d <= 0, which must lie within.
  const sign = compareExact(lower.left.constant, upper.left.constant);
  const isOpen = upper.comparator === '<' && lower.comparator === '>';
  return { isEmpty: sign < 0 || (sign === 0 && isOpen), inside: upper, outside };
}

const COMPLEMENT: Partial<Record<Comparator, Comparator>> = { '>': '<=', '>=': '<' };

function isUpper(comparator: Comparator): boolean {
  return comparator === '<' || comparator === '<=';
}

function termsText({ terms }: Sum): string {
  const withDigits = (_: string, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value;
  return terms
    .map((term) => JSON.stringify(term, withDigits))
    .sort()
    .join();
}
