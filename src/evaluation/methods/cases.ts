import { Matches } from '../order/matches.js';
import { constantTest } from '../query/constant-test.js';
import { labelsOf } from '../query/operand.js';
import type { Comparison, Test } from '../query/query.js';
import { eventsOf } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import type { Problem } from './problem.js';

/** Beyond these, to list bindings is no dearer. */
const MOST_COMPARISONS = 12;
const MOST_CASES = 64;

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
    if (comparisons.some((comparison) => labelsOfComparison(comparison).size > 1)) return undefined;
    cases = cases.flatMap((lists) => split(problem, lists, test, comparisons, labels));
    if (cases.length > MOST_CASES) return undefined;
  }
  return cases;
}

/** One case as those in which a condition holds. */
function split(
  { session }: Problem,
  lists: Matches[],
  test: Test,
  comparisons: readonly Comparison[],
  labels: readonly number[],
): Matches[][] {
  const constants = comparisons.reduce(
    (bits, comparison, at) =>
      labelsOfComparison(comparison).size === 0 && constantTest(comparison)
        ? bits | (1 << at)
        : bits,
    0,
  );
  let partial: { lists: Matches[]; bits: number }[] = [{ lists, bits: constants }];
  for (const label of labels) {
    const { events } = lists[label] as Matches;
    const truths = new Int32Array(events.length);
    comparisons.forEach((comparison, bit) => {
      if (!labelsOfComparison(comparison).has(label)) return;
      let at = 0;
      for (const event of eventsOf(selectEvents(session, comparison, events))) {
        while (events[at] !== event) at++;
        truths[at] = (truths[at] as number) | (1 << bit);
      }
    });
    const classes = [...new Set(truths)].sort((a, b) => a - b);
    partial = classes.flatMap((bits) => {
      const some = new Matches(
        session,
        events.filter((_, at) => truths[at] === bits),
      );
      return partial.map((one) => ({ lists: one.lists.with(label, some), bits: one.bits | bits }));
    });
  }
  return partial.flatMap(({ lists, bits }) => (holdsFor(test, comparisons, bits) ? [lists] : []));
}

function comparisonsOf(test: Test): Comparison[] {
  return test.kind === 'comparison' ? [test] : test.operands.flatMap(comparisonsOf);
}

function labelsOfComparison({ left, right }: Comparison): Set<number> {
  return new Set([...labelsOf(left), ...labelsOf(right)]);
}

/** Whether a condition holds, given of each comparison whether it does. */
function holdsFor(test: Test, comparisons: readonly Comparison[], bits: number): boolean {
  if (test.kind === 'comparison') return ((bits >> comparisons.indexOf(test)) & 1) === 1;
  const holds = (operand: Test) => holdsFor(operand, comparisons, bits);
  return test.kind === 'and' ? test.operands.every(holds) : test.operands.some(holds);
}
