import { at } from '../../source/index.js';
import { Undecided } from '../exact/undecided.js';
import type { BindingCountAt } from '../join/count-trees.js';
import { isCountable, type Relation, relationsOf } from '../join/relation.js';
import type { Matches } from '../order/matches.js';
import { joinTrees } from '../query/query.js';
import { Arrows, type Ranges } from './arrows.js';
import { type BindingRequirement, createBindingTests } from './binding-tests.js';
import { neighboursOf } from './neighbours.js';
import {
  type AbsentLabels,
  type BindingProblem,
  NO_SOLUTION,
  type Question,
  type Solution,
} from './problem.js';

/** A state of an enumeration: events for the bound labels, and ranges for the counted labels. */
interface Visit {
  /** The position of each bound label's event in its list, or -1 for a counted label. */
  readonly bound: Int32Array;
  /** The number of bindings with these events. */
  readonly count: bigint;
  /** The ranges of each counted label, in order, with the number of events in them. */
  readonly ranges: readonly (Ranges & { readonly size: number })[];
}

/** The ranges of a label that no arrow restricts. */
const NO_RANGES = { low: new Int32Array(0), high: new Int32Array(0), steps: 0 };

/** Number of steps between progress reports. */
const REPORT_INTERVAL = 1 << 16;

/**
 * Enumerates bindings by binding one label after another to each of its events, in session order. Tries only events
 * within the ranges that the arrows to previous labels allow, and in the group that `=` allows.
 *
 * O(steps), limited by the budget.
 *
 * @param visit returns true to stop
 * @param strategy the strategy for arrows, as for `Arrows`
 * @param clause the clause to report if no requirement on the bindings forces an enumeration
 * @throws {Undecided} if the budget is spent
 */
export function enumerate(
  problem: BindingProblem,
  order: BindingOrder,
  visit: (visit: Visit) => boolean,
  strategy: 'tables' | 'passes' = 'tables',
  clause = 'AGGREGATE',
): void {
  const { query, limits } = problem;
  let steps = 0;
  let nextReport = Math.min(REPORT_INTERVAL, limits.budget);
  const step = (count: number): void => {
    steps += count;
    if (steps <= nextReport) return;
    if (steps > limits.budget) throw overBudget(problem, order, clause);
    limits.onProgress?.(steps, limits.budget);
    nextReport = Math.min(steps + REPORT_INTERVAL, limits.budget);
  };
  const bound = new Int32Array(query.labels.length).fill(-1);
  makeSearch(problem, order, strategy, step)(bound, 0, visit);
}

/**
 * A function that binds the labels of an order from a depth on, after the previous labels are bound. Returns true if a
 * visit stopped the search, and then leaves the labels bound.
 */
type Search = (bound: Int32Array, depth: number, visit: (visit: Visit) => boolean) => boolean;

function makeSearch(
  problem: BindingProblem,
  order: BindingOrder,
  strategy: 'tables' | 'passes',
  step: (count: number) => void,
): Search {
  const { lists } = problem;
  const neighbours = strategy === 'tables' ? findNeighbours(problem, order.bound, step) : new Map();
  const openProblem = dropRelations(
    problem,
    [...neighbours.values()].map(({ relation }) => relation),
  );
  const arrows = new Arrows(openProblem, strategy);
  const requirements = openProblem.absences.map((absent): BindingRequirement => {
    return { labels: absent.absence.shared, isMet: makeAbsence(problem, absent, strategy, step) };
  });
  const tests = createBindingTests(problem, order.bound, requirements);

  /** Visits the bindings with the bound events, if any. Returns true to stop. */
  const meet = (bound: Int32Array, visit: (visit: Visit) => boolean): boolean => {
    if (order.counted.length === 0) return visit({ bound, count: 1n, ranges: [] });
    const ranges = order.counted.map((label) => {
      const range = arrows.ranges(label, bound);
      step(range.steps);
      return { ...range, size: rangeSizes(range) };
    });
    const count = ranges.reduce((product, { size }) => product * BigInt(size), 1n);
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
    const group = neighbours.get(label)?.of(bound) ?? test.group?.(bound);
    const usesGroup = group !== undefined && arrows.isFree(label);
    const { low, high, steps: stepsTaken } = usesGroup ? NO_RANGES : arrows.ranges(label, bound);
    step(stepsTaken);
    if (usesGroup) {
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

/** A relation, with a function that lists a label's related events once the label at the other end is bound. */
interface NeighbourList {
  readonly relation: Relation;
  readonly of: (bound: Int32Array) => Int32Array;
}

/**
 * Returns the neighbour lists by label. A label has a list if its relation to a previous label requires nothing in
 * between.
 */
function findNeighbours(
  problem: BindingProblem,
  order: readonly number[],
  step: (count: number) => void,
): Map<number, NeighbourList> {
  const nearbyByLabel = new Map<number, NeighbourList>();
  for (const relation of problem.relations) {
    const [firstLabel, second] = order.filter(
      (label) => label === relation.u || label === relation.v,
    );
    if (firstLabel === undefined || second === undefined || nearbyByLabel.has(second)) continue;
    const neighbours = neighboursOf(problem, relation, firstLabel, step);
    if (neighbours === undefined) continue;
    nearbyByLabel.set(second, { relation, of: (bound) => neighbours(at(bound, firstLabel)) });
  }
  return nearbyByLabel;
}

/** Removes the arrows and absences that some relations express from a problem. */
function dropRelations(problem: BindingProblem, relations: readonly Relation[]): BindingProblem {
  const isOpen = ([p, q]: readonly number[]) =>
    !relations.some(({ u, v }) => (u === p && v === q) || (u === q && v === p));
  const arrows = problem.query.arrows.filter(isOpen);
  const absences = problem.absences.filter(
    ({ absence, isRelated }) => !isRelated || isOpen(absence.shared),
  );
  return { ...problem, query: { ...problem.query, arrows }, absences };
}

/** Returns a predicate on bindings that is true if a search finds no events for the absent labels. */
function makeAbsence(
  problem: BindingProblem,
  { absence, lists: absentLists }: AbsentLabels,
  strategy: 'tables' | 'passes',
  step: (count: number) => void,
): (bound: Int32Array) => boolean {
  const { query, shared } = absence;
  const absenceLists = [...shared.map((label) => problem.lists[label] as Matches), ...absentLists];
  const sub = {
    ...problem,
    query,
    relations: relationsOf(query),
    lists: absenceLists,
    absences: [],
  };
  const sharedPositions = [...shared.keys()];
  const { bound: neededLabels, counted: countedLabels } = chooseBindingOrder(
    sub,
    new Set(sharedPositions),
  );
  const ownLabels = neededLabels.filter((label) => label >= sharedPositions.length);
  const search = makeSearch(
    sub,
    { bound: [...sharedPositions, ...ownLabels], counted: countedLabels },
    strategy,
    step,
  );
  const outerBound = new Int32Array(query.labels.length);
  return (bound) => {
    outerBound.fill(-1);
    shared.forEach((label, at) => {
      outerBound[at] = bound[label] as number;
    });
    return !search(outerBound, sharedPositions.length, () => true);
  };
}

function rangeSizes({ low, high }: Ranges): number {
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

/** Counts bindings by enumeration. */
export function countByEnumeration(problem: BindingProblem, question: Question): Solution[] {
  const { lists } = problem;
  if (lists.some(({ size }) => size === 0)) return [NO_SOLUTION];
  const order = chooseBindingOrder(problem, new Set());
  const sums = new Map<number, bigint[]>();
  for (const label of question.wanted) {
    sums.set(label, new Array((lists[label] as Matches).size + 1).fill(0n));
  }
  const add = (counts: bigint[] | undefined, position: number, count: bigint): void => {
    if (counts !== undefined) counts[position] = (counts[position] as bigint) + count;
  };
  let total = 0n;
  enumerate(problem, order, ({ bound, count, ranges }) => {
    total += count;
    for (const label of order.bound) add(sums.get(label), at(bound, label), count);
    // Each event in a range gets the same count. Add the count at the range's start and subtract it at the end, because
    // prefix sums follow.
    for (const [i, { low, high, size }] of ranges.entries()) {
      const labelSums = sums.get(order.counted[i] as number);
      const perEvent = count / BigInt(size);
      for (let probe = 0; labelSums !== undefined && probe < low.length; probe++) {
        if (at(low, probe) >= at(high, probe)) continue;
        add(labelSums, at(low, probe), perEvent);
        add(labelSums, at(high, probe), -perEvent);
      }
    }
    return question.wanted.size === 0 && !question.counts;
  });
  for (const label of order.counted) {
    const counts = sums.get(label) ?? [];
    for (let event = 1; event < counts.length; event++)
      add(counts, event, counts[event - 1] as bigint);
  }
  const of = new Map<number, BindingCountAt>();
  for (const [label, counts] of sums) of.set(label, (event) => counts[event] as bigint);
  return [{ total, lists, of }];
}

/** The order in which enumeration binds labels. */
interface BindingOrder {
  /** The labels to bind, one after another. */
  readonly bound: readonly number[];
  /**
   * The labels not to bind, because only their order relative to bound labels is restricted. The number of events
   * within their ranges suffices.
   */
  readonly counted: readonly number[];
}

/**
 * Chooses the order of enumeration. Binds the labels in conditions and joins, and at least one end of each arrow.
 * Labels with few events, and labels related to previous labels, come first.
 *
 * @param neededLabels labels whose events are needed
 */
export function chooseBindingOrder(
  { query, relations, lists, absences }: BindingProblem,
  neededLabels: ReadonlySet<number>,
): BindingOrder {
  const size = (label: number) => (lists[label] as Matches).size;
  const cover = new Set(neededLabels);
  for (const { labels } of query.others) for (const label of labels) cover.add(label);
  for (const { absence } of absences) for (const label of absence.shared) cover.add(label);
  for (const { u, v } of query.joins) cover.add(u).add(v);
  for (;;) {
    const uncovered = [...query.arrows, ...query.concurrent].filter(
      ([a, b]) => !cover.has(a) && !cover.has(b),
    );
    if (uncovered.length === 0) break;
    const degree = (label: number) => uncovered.filter((arrow) => arrow.includes(label)).length;
    const worth = (label: number) => degree(label) / Math.log2(2 + size(label));
    cover.add(
      uncovered
        .flat()
        .reduce((bestLabel, label) => (worth(label) > worth(bestLabel) ? label : bestLabel)),
    );
  }
  const bound = orderByRelations(
    relations,
    [...cover].sort((a, b) => size(a) - size(b) || a - b),
  );
  const countedLabels = query.labels.map((_, label) => label).filter((label) => !cover.has(label));
  return { bound, counted: countedLabels };
}

/** Returns labels in the given order, except that labels related to a previous label come first. */
export function orderByRelations(
  relations: readonly Relation[],
  labels: readonly number[],
): number[] {
  const remaining = [...labels];
  const order: number[] = [];
  while (remaining.length > 0) {
    const nearIndex = remaining.findIndex((label) =>
      relations.some((relation) => joins(relation, label, order)),
    );
    order.push(...remaining.splice(Math.max(0, nearIndex), 1));
  }
  return order;
}

function joins({ u, v }: Relation, label: number, bound: readonly number[]): boolean {
  return (u === label && bound.includes(v)) || (v === label && bound.includes(u));
}

/** Returns the clause that forces an enumeration of the bindings, as displayed. */
function forcingClause({ query, relations, absences }: BindingProblem): string | undefined {
  const otherConjunct = query.others[0];
  if (otherConjunct !== undefined) return otherConjunct.text;
  const absent = absences.find(({ isRelated }) => !isRelated);
  if (absent !== undefined) return absent.absence.text;
  const costlyRelation = relations.find((relation) => !isCountable(relation));
  if (costlyRelation !== undefined) return relationText(costlyRelation, query.labels);
  // The first relation that closes a cycle.
  const labels = query.labels.map((_, label) => label);
  const closing = relations.findIndex(
    (_, at) => joinTrees(labels, relations.slice(0, at + 1)) === undefined,
  );
  return closing < 0 ? undefined : relationText(relations[closing] as Relation, query.labels);
}

function relationText(
  { u, v, order, isConcurrent, equal, unequal, less }: Relation,
  labels: readonly string[],
): string {
  const [earlier, later] = order === 1 ? [labels[u], labels[v]] : [labels[v], labels[u]];
  const texts = [...new Set([...equal, ...unequal, ...less].map(({ text }) => text))];
  const arrow = order === 0 ? [] : [`${earlier} -> ${later}`];
  const concurrentTexts = isConcurrent ? [`${labels[u]} || ${labels[v]}`] : [];
  return [...arrow, ...concurrentTexts, ...texts].join(' AND ');
}
