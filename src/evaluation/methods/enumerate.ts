import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import type { EventCounts } from '../join/count-trees.js';
import { isCountable, type Relation, relationsOf } from '../join/relation.js';
import type { Matches } from '../order/matches.js';
import { joinTrees } from '../query/query.js';
import { Arrows, type Ranges } from './arrows.js';
import { type BindingDemand, bindingTests } from './binding-tests.js';
import { neighboursOf } from './neighbours.js';
import {
  type AbsentLabels,
  type BindingProblem,
  NOTHING,
  type Question,
  type Solution,
} from './problem.js';

/** A state of an enumeration: events for the bound labels, and ranges for the counted ones. */
interface Visit {
  /** For each bound label, the position of its event in its list; -1 for the others. */
  readonly bound: Int32Array;
  /** The number of bindings with these events. */
  readonly count: bigint;
  /** For each counted label, in order, its ranges and the number of events in them. */
  readonly ranges: readonly (Ranges & { readonly size: number })[];
}

/** For labels whose list of positions is enough. */
const NO_RANGES = { low: new Int32Array(0), high: new Int32Array(0), steps: 0 };

/** The number of steps between two reports of progress. */
const STEPS_AT_A_TIME = 1 << 16;

/**
 * Binds labels one after another, each to the events within the ranges that the arrows to earlier labels allow, and
 * in the group that `=` allows.
 *
 * O(steps), at most as many as the budget allows.
 *
 * Each label takes its events in session order.
 *
 * @param visit returns true to stop
 * @param how the method for the arrows, as for `Arrows`
 * @param clause the reason if no requirement on the bindings forces an enumeration
 * @throws {Undecided} when the budget is spent
 */
export function enumerate(
  problem: BindingProblem,
  order: BindingOrder,
  visit: (visit: Visit) => boolean,
  how: 'tables' | 'passes' = 'tables',
  clause = 'AGGREGATE',
): void {
  const { query, limits } = problem;
  let steps = 0;
  let next = Math.min(STEPS_AT_A_TIME, limits.budget);
  const step = (count: number): void => {
    steps += count;
    if (steps <= next) return;
    if (steps > limits.budget) throw overBudget(problem, order, clause);
    limits.onProgress?.(steps, limits.budget);
    next = Math.min(steps + STEPS_AT_A_TIME, limits.budget);
  };
  const bound = new Int32Array(query.labels.length).fill(-1);
  searchOf(problem, order, how, step)(bound, 0, visit);
}

/**
 * Binds the labels of an order from a depth on; those before it are already bound. True if a visit ended the
 * search; then labels stay bound.
 */
type Search = (bound: Int32Array, depth: number, visit: (visit: Visit) => boolean) => boolean;

function searchOf(
  problem: BindingProblem,
  order: BindingOrder,
  how: 'tables' | 'passes',
  step: (count: number) => void,
): Search {
  const { lists } = problem;
  const near = how === 'tables' ? nearby(problem, order.bound, step) : new Map();
  const left = withoutRelations(
    problem,
    [...near.values()].map(({ relation }) => relation),
  );
  const arrows = new Arrows(left, how);
  const requirements = left.absences.map((absent): BindingDemand => {
    return { labels: absent.absence.shared, isMet: absenceOf(problem, absent, how, step) };
  });
  const tests = bindingTests(problem, order.bound, requirements);

  /** Visits the bindings with the events bound so far, if any; returns true to stop. */
  const meet = (bound: Int32Array, visit: (visit: Visit) => boolean): boolean => {
    if (order.counted.length === 0) return visit({ bound, count: 1n, ranges: [] });
    const ranges = order.counted.map((label) => {
      const range = arrows.ranges(label, bound);
      step(range.steps);
      return { ...range, size: sizeOf(range) };
    });
    const count = ranges.reduce((all, { size }) => all * BigInt(size), 1n);
    return count > 0 && visit({ bound, count, ranges });
  };
  const descend: Search = (bound, depth, visit) => {
    const label = order.bound[depth];
    if (label === undefined) return meet(bound, visit);
    const list = lists[label] as Matches;
    const test = tests[depth] as (typeof tests)[number];
    const attempt = (position: number): boolean => {
      step(1);
      bound[label] = position;
      return test.holds(bound) && descend(bound, depth + 1, visit);
    };
    const group = near.get(label)?.of(bound) ?? test.group?.(bound);
    const isListed = group !== undefined && arrows.isFree(label);
    const { low, high, steps: taken } = isListed ? NO_RANGES : arrows.ranges(label, bound);
    step(taken);
    if (isListed) {
      for (const position of group) if (attempt(position)) return true;
    } else if (group !== undefined) {
      for (const position of group) {
        const probe = at(list.probes, position);
        const isWithin = position >= at(low, probe) && position < at(high, probe);
        if (isWithin && attempt(position)) return true;
      }
    } else {
      for (let probe = 0; probe < low.length; probe++) {
        for (let index = at(low, probe); index < at(high, probe); index++) {
          if (attempt(index)) return true;
        }
      }
    }
    bound[label] = -1;
    return false;
  };
  return descend;
}

/** A relation that lists the events of a label, once the label at its other end is bound. */
interface Nearby {
  readonly relation: Relation;
  readonly of: (bound: Int32Array) => Int32Array;
}

/** Returns such a relation for each label that has one: there is nothing between its pairs, which are listed. */
function nearby(
  problem: BindingProblem,
  order: readonly number[],
  step: (count: number) => void,
): Map<number, Nearby> {
  const all = new Map<number, Nearby>();
  for (const relation of problem.relations) {
    const [first, second] = order.filter((label) => label === relation.u || label === relation.v);
    if (first === undefined || second === undefined || all.has(second)) continue;
    const neighbours = neighboursOf(problem, relation, first, step);
    if (neighbours === undefined) continue;
    all.set(second, { relation, of: (bound) => neighbours(at(bound, first)) });
  }
  return all;
}

/** Returns the problem without the arrows and absences that some relations express. */
function withoutRelations(problem: BindingProblem, relations: readonly Relation[]): BindingProblem {
  const isOpen = ([one, other]: readonly number[]) =>
    !relations.some(({ u, v }) => (u === one && v === other) || (u === other && v === one));
  const arrows = problem.query.arrows.filter(isOpen);
  const absences = problem.absences.filter(
    ({ absence, isRelated }) => !isRelated || isOpen(absence.shared),
  );
  return { ...problem, query: { ...problem.query, arrows }, absences };
}

/** Returns a test, by a search, that nothing exists alongside a binding that must be absent. */
function absenceOf(
  problem: BindingProblem,
  { absence, lists: absentLists }: AbsentLabels,
  how: 'tables' | 'passes',
  step: (count: number) => void,
): (bound: Int32Array) => boolean {
  const { query, shared } = absence;
  const all = [...shared.map((label) => problem.lists[label] as Matches), ...absentLists];
  const sub = { ...problem, query, relations: relationsOf(query), lists: all, absences: [] };
  const first = [...shared.keys()];
  const { bound: needed, counted } = bindingOrder(sub, new Set(first));
  const rest = needed.filter((label) => label >= first.length);
  const search = searchOf(sub, { bound: [...first, ...rest], counted }, how, step);
  const outer = new Int32Array(query.labels.length);
  return (bound) => {
    outer.fill(-1);
    shared.forEach((label, at) => {
      outer[at] = bound[label] as number;
    });
    return !search(outer, first.length, () => true);
  };
}

function sizeOf({ low, high }: Ranges): number {
  return high.reduce((sum, end, probe) => sum + Math.max(0, end - at(low, probe)), 0);
}

function overBudget(problem: BindingProblem, { bound }: BindingOrder, clause: string): Undecided {
  const sizes = bound.map(
    (label) => `${problem.query.labels[label]} (${(problem.lists[label] as Matches).size} events)`,
  );
  return new Undecided(
    forcingClause(problem) ?? clause,
    `it would take more than ${problem.limits.budget} steps to try the bindings of ${sizes.join(', ')}`,
    'match fewer events with a narrower pattern or FILTER, or raise the budget',
  );
}

/** Counts bindings by listing them. */
export function countByEnumeration(problem: BindingProblem, question: Question): Solution[] {
  const { lists } = problem;
  if (lists.some(({ size }) => size === 0)) return [NOTHING];
  const order = bindingOrder(problem, new Set());
  const sums = new Map<number, bigint[]>();
  for (const label of question.wanted) {
    sums.set(label, new Array((lists[label] as Matches).size + 1).fill(0n));
  }
  const add = (all: bigint[] | undefined, position: number, count: bigint): void => {
    if (all !== undefined) all[position] = (all[position] as bigint) + count;
  };
  let total = 0n;
  enumerate(problem, order, ({ bound, count, ranges }) => {
    total += count;
    for (const label of order.bound) add(sums.get(label), at(bound, label), count);
    // All events in a range get the same: it is added where the range begins, and subtracted at its end.
    for (const [i, { low, high, size }] of ranges.entries()) {
      const all = sums.get(order.counted[i] as number);
      const each = count / BigInt(size);
      for (let probe = 0; all !== undefined && probe < low.length; probe++) {
        if (at(low, probe) >= at(high, probe)) continue;
        add(all, at(low, probe), each);
        add(all, at(high, probe), -each);
      }
    }
    return question.wanted.size === 0 && !question.counts;
  });
  for (const label of order.counted) {
    const all = sums.get(label) ?? [];
    for (let event = 1; event < all.length; event++) add(all, event, all[event - 1] as bigint);
  }
  const of = new Map<number, EventCounts>();
  for (const [label, all] of sums) of.set(label, (event) => all[event] as bigint);
  return [{ total, lists, of }];
}

/** The order in which enumeration binds labels. */
interface BindingOrder {
  /** Bound one after another. */
  readonly bound: readonly number[];
  /** Not bound: only arrows to bound labels constrain them, so the number of events within the ranges is enough. */
  readonly counted: readonly number[];
}

/**
 * Chooses the order of enumeration: labels in conditions and joins are bound, and at least one end of each arrow;
 * labels with few events, and those related to previous labels, come first.
 *
 * @param needed labels whose events are wanted
 */
export function bindingOrder(
  { query, relations, lists, absences }: BindingProblem,
  needed: ReadonlySet<number>,
): BindingOrder {
  const size = (label: number) => (lists[label] as Matches).size;
  const cover = new Set(needed);
  for (const { labels } of query.others) for (const label of labels) cover.add(label);
  for (const { absence } of absences) for (const label of absence.shared) cover.add(label);
  for (const { u, v } of query.joins) cover.add(u).add(v);
  for (;;) {
    const open = [...query.arrows, ...query.concurrent].filter(
      ([a, b]) => !cover.has(a) && !cover.has(b),
    );
    if (open.length === 0) break;
    const degree = (label: number) => open.filter((arrow) => arrow.includes(label)).length;
    const worth = (label: number) => degree(label) / Math.log2(2 + size(label));
    cover.add(open.flat().reduce((best, label) => (worth(label) > worth(best) ? label : best)));
  }
  const bound = alongRelations(
    relations,
    [...cover].sort((a, b) => size(a) - size(b) || a - b),
  );
  const counted = query.labels.map((_, label) => label).filter((label) => !cover.has(label));
  return { bound, counted };
}

/** Returns labels in their order, but sooner if they are related to a previous one. */
export function alongRelations(
  relations: readonly Relation[],
  labels: readonly number[],
): number[] {
  const left = [...labels];
  const order: number[] = [];
  while (left.length > 0) {
    const near = left.findIndex((label) =>
      relations.some((relation) => joins(relation, label, order)),
    );
    order.push(...left.splice(Math.max(0, near), 1));
  }
  return order;
}

function joins({ u, v }: Relation, label: number, bound: readonly number[]): boolean {
  return (u === label && bound.includes(v)) || (v === label && bound.includes(u));
}

/** Returns the clause that keeps bindings from being counted, as text for people. */
function forcingClause({ query, relations, absences }: BindingProblem): string | undefined {
  const other = query.others[0];
  if (other !== undefined) return other.text;
  const absent = absences.find(({ isRelated }) => !isRelated);
  if (absent !== undefined) return absent.absence.text;
  const dear = relations.find((relation) => !isCountable(relation));
  if (dear !== undefined) return textOf(dear, query.labels);
  // The relation that closes the cycle: without it, those before it form none.
  const labels = query.labels.map((_, label) => label);
  const closing = relations.findIndex(
    (_, at) => joinTrees(labels, relations.slice(0, at + 1)) === undefined,
  );
  return closing < 0 ? undefined : textOf(relations[closing] as Relation, query.labels);
}

function textOf(
  { u, v, order, isConcurrent, equal, unequal, less }: Relation,
  labels: readonly string[],
): string {
  const [earlier, later] = order === 1 ? [labels[u], labels[v]] : [labels[v], labels[u]];
  const texts = [...new Set([...equal, ...unequal, ...less].map(({ text }) => text))];
  const arrow = order === 0 ? [] : [`${earlier} -> ${later}`];
  const beside = isConcurrent ? [`${labels[u]} || ${labels[v]}`] : [];
  return [...arrow, ...beside, ...texts].join(' AND ');
}
