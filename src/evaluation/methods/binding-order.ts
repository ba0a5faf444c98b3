import type { Relation } from '../join/relation.js';
import { isCountable, joinTrees } from '../join/relation.js';
import type { Matches } from '../order/matches.js';
import type { Problem } from './problem.js';

/** In which order enumeration binds labels. */
export interface BindingOrder {
  /** Bound one after the other. */
  readonly bound: readonly number[];
  /**
   * Not bound: only arrows to bound labels constrain them, so how many events are within the
   * ranges is all that is asked of them.
   */
  readonly counted: readonly number[];
}

/**
 * The order of enumeration: labels in conditions and joins are bound, and of each arrow at least
 * one end; few events first, and labels that are related to those before.
 *
 * @param needed labels whose events are asked for
 */
export function bindingOrder(
  { query, relations, lists }: Problem,
  needed: ReadonlySet<number>,
): BindingOrder {
  const size = (label: number) => (lists[label] as Matches).size;
  const cover = new Set(needed);
  for (const { labels } of query.others) for (const label of labels) cover.add(label);
  for (const { u, v } of query.joins) cover.add(u).add(v);
  for (;;) {
    const open = query.arrows.filter(([a, b]) => !cover.has(a) && !cover.has(b));
    if (open.length === 0) break;
    const degree = (label: number) => open.filter((arrow) => arrow.includes(label)).length;
    const worth = (label: number) => degree(label) / Math.log2(2 + size(label));
    cover.add(open.flat().reduce((best, label) => (worth(label) > worth(best) ? label : best)));
  }
  const left = [...cover].sort((a, b) => size(a) - size(b) || a - b);
  const bound: number[] = [];
  while (left.length > 0) {
    const near = left.findIndex((label) =>
      relations.some((relation) => joins(relation, label, bound)),
    );
    bound.push(...left.splice(Math.max(0, near), 1));
  }
  const counted = query.labels.map((_, label) => label).filter((label) => !cover.has(label));
  return { bound, counted };
}

function joins({ u, v }: Relation, label: number, bound: readonly number[]): boolean {
  return (u === label && bound.includes(v)) || (v === label && bound.includes(u));
}

/** The clause because of which bindings cannot be counted, for people. */
export function forcingClause({ query, relations }: Problem): string {
  const other = query.others[0];
  if (other !== undefined) return other.text;
  const dear = relations.find((relation) => !isCountable(relation));
  if (dear !== undefined) return textOf(dear, query.labels);
  // The relation that closes the cycle: the first without which there is none up to it.
  const labels = query.labels.map((_, label) => label);
  const closing = relations.findIndex(
    (_, at) => joinTrees(labels, relations.slice(0, at + 1)) === undefined,
  );
  return closing < 0 ? 'AGGREGATE' : textOf(relations[closing] as Relation, query.labels);
}

function textOf(
  { u, v, order, equal, unequal, less }: Relation,
  labels: readonly string[],
): string {
  const [earlier, later] = order === 1 ? [labels[u], labels[v]] : [labels[v], labels[u]];
  const texts = [...equal, ...unequal, ...less].map(({ text }) => text);
  return [...(order === 0 ? [] : [`${earlier} -> ${later}`]), ...texts].join(' AND ');
}
