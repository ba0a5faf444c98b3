import { at } from '../../source/index.js';
import { addCounts, type BindingCountAt, countExactly } from '../join/count-trees.js';
import { Solver, solverOf } from '../join/propagate.js';
import { isCountable, type Relation } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { isConstantTestTrue, isTestTrue, labelsOfTest, leavesOfTest } from '../query/operand.js';
import type { LeafTest, Test } from '../query/query.js';
import { joinTrees } from '../query/query.js';
import { selectEvents } from '../select/select-events.js';
import { Arrows } from './arrows.js';
import { createJoinTest } from './binding-tests.js';
import {
  type BindingProblem,
  ENTRIES_PER_STEP,
  NO_SOLUTION,
  type Question,
  requireCounts,
  type Solution,
} from './problem.js';

/** Maximum numbers of a conjunct's leaves and of cases. Beyond these limits, enumeration is no more expensive. */
const MAX_LEAVES = 12;
const MAX_CASES = 64;

/**
 * Counts bindings by trees of labels and relations, for each disjoint case of the conditions on several labels. Returns
 * undefined if the method does not apply.
 *
 * O(arrows * probes * receives), plus the cost of the joins.
 */
export function countByTrees(
  problem: BindingProblem,
  { wanted: wantedLabels }: Question,
): Solution[] | undefined {
  const { session, relations, query } = problem;
  const trees = relations.every(isCountable)
    ? joinTrees([...query.labels.keys()], relations, wantedLabels)
    : undefined;
  if (trees === undefined) return undefined;
  return casesOf(problem)?.map((lists) => {
    if (lists.some(({ size }) => size === 0)) return NO_SOLUTION;
    return { ...requireCounts(countExactly(solverOf(session, lists), trees, wantedLabels)), lists };
  });
}

/**
 * True if the plan includes counting by trees. If not, dependent methods such as extremes by trees are disabled too.
 */
export function isPlanned({ limits }: BindingProblem): boolean {
  return limits.plan.some(({ find }) => find === countByTrees);
}

/**
 * Splits the lists into disjoint cases, for conjuncts such as `a.x = 1 OR b.y = 2`. A label's events form classes by
 * the leaves that they satisfy. Each combination of classes that satisfies the conjunct is a case.
 *
 * O(events * leaves). Returns undefined if a leaf mentions several labels, if there are too many leaves or cases, or if
 * no relation expresses an absence.
 */
export function casesOf(problem: BindingProblem): (readonly Matches[])[] | undefined {
  if (problem.absences.some(({ isRelated }) => !isRelated)) return undefined;
  let cases = [problem.lists];
  for (const { test, labels } of problem.query.others) {
    const leaves = leavesOfTest(test);
    if (leaves.length > MAX_LEAVES) return undefined;
    if (leaves.some((leaf) => labelsOfTest(leaf).length > 1)) return undefined;
    cases = cases.flatMap((lists) => split(problem, lists, test, leaves, labels));
    if (cases.length > MAX_CASES) return undefined;
  }
  return cases;
}

/** Splits a case into cases in which a condition holds. A class is a bit set of the true leaves. */
function split(
  { session }: BindingProblem,
  lists: readonly Matches[],
  test: Test,
  leaves: readonly LeafTest[],
  labels: readonly number[],
): (readonly Matches[])[] {
  const bitOf = (leaf: LeafTest) => 1 << leaves.indexOf(leaf);
  const constants = leaves.filter(
    (leaf) => labelsOfTest(leaf).length === 0 && isConstantTestTrue(leaf),
  );
  let partialCases = [
    { lists, bits: constants.reduce((bits, constant) => bits | bitOf(constant), 0) },
  ];
  for (const label of labels) {
    const { events } = lists[label] as Matches;
    const classOf = new Map<number, number>();
    for (const leaf of leaves.filter((leaf) => labelsOfTest(leaf).includes(label))) {
      for (const event of selectEvents(session, leaf, events)) {
        classOf.set(event, (classOf.get(event) ?? 0) | bitOf(leaf));
      }
    }
    const classes = new Set(Array.from(events, (event) => classOf.get(event) ?? 0));
    partialCases = [...classes].flatMap((bits) => {
      const members = events.filter((event) => (classOf.get(event) ?? 0) === bits);
      const caseMatches = new Matches(session, members);
      return partialCases.map((selection) => ({
        lists: selection.lists.with(label, caseMatches),
        bits: selection.bits | bits,
      }));
    });
  }
  const isTrue = (bits: number) => (leaf: LeafTest) => (bits & bitOf(leaf)) !== 0;
  return partialCases.flatMap(({ lists, bits }) => (isTestTrue(test, isTrue(bits)) ? [lists] : []));
}

/**
 * Counts bindings if the relations form a cycle. Binds one label to each of its events in turn, which leaves trees.
 *
 * O(events of this label * the cost of the trees). Returns undefined if the method does not apply or exceeds the
 * budget.
 */
export function countForEachEvent(
  problem: BindingProblem,
  question: Question,
): Solution[] | undefined {
  const { session, query, relations, absences, lists, limits } = problem;
  if (query.others.length > 0 || absences.some(({ isRelated }) => !isRelated)) return undefined;
  if (lists.some(({ size }) => size === 0)) return [NO_SOLUTION];
  const fixedLabel = labelToFix(query.labels.length, relations, lists);
  if (fixedLabel === undefined) return undefined;

  const list = lists[fixedLabel] as Matches;
  const events = lists.reduce((sum, { size }) => sum + size, 0);
  const steps = (list.size * events * (session.timelines.probe.length / 16 + 2)) / ENTRIES_PER_STEP;
  if (steps > limits.budget) return undefined;

  const otherLabels = query.labels.map((_, label) => label).filter((label) => label !== fixedLabel);
  const wantedLabels = new Set([...question.wanted].filter((label) => label !== fixedLabel));
  const fixedRelations = relations.filter(({ u, v }) => u === fixedLabel || v === fixedLabel);
  const trees = joinTrees(otherLabels, relationsWithout(relations, fixedLabel), wantedLabels) ?? [];
  const solver = new Solver(session, lists);
  const maskOf = createMaskFunction(problem, fixedLabel, fixedRelations);
  const sums = new Map<number, (number | bigint)[]>();
  for (const label of question.wanted) {
    sums.set(label, new Array((lists[label] as Matches).size).fill(0));
  }
  let total = 0n;
  for (let position = 0; position < list.size; position++) {
    limits.onProgress?.(position, list.size);
    const masks = maskOf(position);
    if (masks === undefined) continue;
    const treeCounts = requireCounts(countExactly(solver, trees, wantedLabels, masks));
    total += treeCounts.total;
    const fixedSums = sums.get(fixedLabel);
    if (fixedSums !== undefined) fixedSums[position] = treeCounts.total;
    for (const [label, counts] of treeCounts.of) {
      const labelSums = sums.get(label) as (number | bigint)[];
      for (const [event, sum] of labelSums.entries())
        labelSums[event] = addCounts(sum, counts(event));
    }
  }
  const of = new Map<number, BindingCountAt>();
  for (const [label, labelSums] of sums)
    of.set(label, (event) => labelSums[event] as number | bigint);
  return [{ total, lists, of }];
}

/**
 * Returns the label with the fewest events among the labels whose removal leaves trees, or undefined if there is none.
 */
function labelToFix(
  labels: number,
  relations: readonly Relation[],
  lists: readonly Matches[],
): number | undefined {
  const allLabels = Array.from({ length: labels }, (_, label) => label);
  return allLabels
    .sort((a, b) => (lists[a] as Matches).size - (lists[b] as Matches).size)
    .find((fixedLabel) => {
      const otherRelations = relationsWithout(relations, fixedLabel);
      const fixedRelations = relations.filter((relation) => !otherRelations.includes(relation));
      if (fixedRelations.some(({ between }) => between.length > 0)) return false;
      const freeLabels = allLabels.filter((label) => label !== fixedLabel);
      return (
        otherRelations.every(isCountable) && joinTrees(freeLabels, otherRelations) !== undefined
      );
    });
}

function relationsWithout(relations: readonly Relation[], label: number): Relation[] {
  return relations.filter(({ u, v }) => u !== label && v !== label);
}

/**
 * Returns a function that maps an event of the fixed label to masks of the related labels' fitting events. The function
 * returns undefined if a related label has no fitting event.
 */
function createMaskFunction(
  problem: BindingProblem,
  fixedLabel: number,
  fixedRelations: readonly Relation[],
): (position: number) => Map<number, Uint8Array> | undefined {
  const { session, query, lists } = problem;
  const touchesFixed = (pair: readonly [number, number]) => pair.includes(fixedLabel);
  const arrows = query.arrows.filter(touchesFixed);
  const concurrent = query.concurrent.filter(touchesFixed);
  const tables = new Arrows({ ...problem, query: { ...query, arrows, concurrent } }, 'tables');
  const bound = new Int32Array(lists.length).fill(-1);
  const joins = fixedRelations.map(({ equal, unequal, less }) =>
    [...equal, ...unequal, ...less].map((join) => createJoinTest(session, join, lists)),
  );
  return (position) => {
    bound[fixedLabel] = position;
    const masks = new Map<number, Uint8Array>();
    for (const [index, { u, v }] of fixedRelations.entries()) {
      const otherLabel = u === fixedLabel ? v : u;
      const { low, high } = tables.ranges(otherLabel, bound);
      const mask = new Uint8Array((lists[otherLabel] as Matches).size);
      let isEmpty = true;
      for (let probe = 0; probe < low.length; probe++) {
        for (let to = at(low, probe); to < at(high, probe); to++) {
          bound[otherLabel] = to;
          const isMet = (joins[index] as (typeof joins)[number]).every((holds) => holds(bound));
          if (!isMet) continue;
          mask[to] = 1;
          isEmpty = false;
        }
      }
      bound[otherLabel] = -1;
      if (isEmpty) return undefined;
      masks.set(otherLabel, mask);
    }
    return masks;
  };
}
