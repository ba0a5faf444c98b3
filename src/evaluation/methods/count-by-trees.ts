import { countExactly } from '../join/count-trees.js';
import { Solver } from '../join/propagate.js';
import { isCountable, joinTrees } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { constantTest } from '../query/constant-test.js';
import { labelsOf } from '../query/operand.js';
import type { Comparison, Test } from '../query/query.js';
import { eventsOf } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { NOTHING, orTooMany, type Problem, type Question, type Solution } from './problem.js';

/** Beyond these, to list bindings is no dearer. */
const MOST_COMPARISONS = 12;
const MOST_CASES = 64;

/**
 * Counts along the trees that the relations make of the labels, for each of the disjoint cases
 * that conditions over several labels leave.
 *
 * O(arrows * probes * receives) and what the joins need; undefined where it does not apply.
 */
export function countByTrees(problem: Problem, { wanted }: Question): Solution[] | undefined {
  const { session, relations, query } = problem;
  const trees = relations.every(isCountable)
    ? joinTrees([...query.labels.keys()], relations, wanted)
    : undefined;
  if (trees === undefined) return undefined;
  return casesOf(problem)?.map((lists) => {
    if (lists.some(({ size }) => size === 0)) return NOTHING;
    return { ...orTooMany(countExactly(new Solver(session, lists), trees, wanted)), lists };
  });
}

/**
 * The lists as disjoint cases, for conjuncts such as `a.x = 1 OR b.y = 2`: where each comparison
 * speaks of one label, the events of a label fall into classes by which comparisons they
 * satisfy, and the conjunct holds for some combinations of classes.
 *
 * O(events * comparisons); undefined where a comparison speaks of several labels, or there would
 * be too many cases.
 */
export function casesOf(problem: Problem): Matches[][] | undefined {
  let cases: Matches[][] = [[...problem.lists]];
  for (const { test, labels } of problem.query.others) {
    const comparisons = comparisonsOf(test);
    if (comparisons.length > MOST_COMPARISONS) return undefined;
    if (comparisons.some((comparison) => labelsIn(comparison).size > 1)) return undefined;
    cases = cases.flatMap((lists) => split(problem, lists, test, comparisons, labels));
    if (cases.length > MOST_CASES) return undefined;
  }
  return cases;
}

/** One case as those in which a condition holds. A class has a bit for each comparison that is true. */
function split(
  { session }: Problem,
  lists: Matches[],
  test: Test,
  comparisons: readonly Comparison[],
  labels: readonly number[],
): Matches[][] {
  const bitOf = (comparison: Comparison) => 1 << comparisons.indexOf(comparison);
  const constants = comparisons.filter((one) => labelsIn(one).size === 0 && constantTest(one));
  let partial = [{ lists, bits: constants.reduce((bits, one) => bits | bitOf(one), 0) }];
  for (const label of labels) {
    const { events } = lists[label] as Matches;
    const classOf = new Map<number, number>();
    for (const comparison of comparisons.filter((one) => labelsIn(one).has(label))) {
      for (const event of eventsOf(selectEvents(session, comparison, events))) {
        classOf.set(event, (classOf.get(event) ?? 0) | bitOf(comparison));
      }
    }
    const classes = new Set(Array.from(events, (event) => classOf.get(event) ?? 0));
    partial = [...classes].flatMap((bits) => {
      const own = events.filter((event) => (classOf.get(event) ?? 0) === bits);
      const some = new Matches(session, own);
      return partial.map((one) => ({ lists: one.lists.with(label, some), bits: one.bits | bits }));
    });
  }
  const isTrue = (bits: number) => (comparison: Comparison) => (bits & bitOf(comparison)) !== 0;
  return partial.flatMap(({ lists, bits }) => (holdsWhere(test, isTrue(bits)) ? [lists] : []));
}

function comparisonsOf(test: Test): Comparison[] {
  return test.kind === 'comparison' ? [test] : test.operands.flatMap(comparisonsOf);
}

function labelsIn({ left, right }: Comparison): Set<number> {
  return new Set([...labelsOf(left), ...labelsOf(right)]);
}

/** Whether a condition holds, given of each comparison whether it does. */
function holdsWhere(test: Test, isTrue: (comparison: Comparison) => boolean): boolean {
  if (test.kind === 'comparison') return isTrue(test);
  const holds = (operand: Test) => holdsWhere(operand, isTrue);
  return test.kind === 'and' ? test.operands.every(holds) : test.operands.some(holds);
}
