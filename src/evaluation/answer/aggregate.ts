import type { AggregateFunction } from '../../expression/index.js';
import { at } from '../../source/index.js';
import { addExact, compareExact, type ExactNumber, negateExact } from '../exact/number.js';
import { ExactSums } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments, valueOfNumber } from '../exact/term-value.js';
import { findLargestSum, type Summands } from '../join/count-trees.js';
import { Solver } from '../join/propagate.js';
import { isMonotone } from '../join/relation.js';
import { casesOf, isPlanned } from '../methods/count-by-trees.js';
import { solve } from '../methods/plan.js';
import { type BindingProblem, hasNone, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { negate, partOfLabel } from '../query/operand.js';
import type { Sum } from '../query/query.js';
import { joinTrees } from '../query/query.js';
import { cellsOf, numberAt } from '../select/cells.js';

/** A function's value and, for `max` and `min`, the first events with that value. */
export interface AggregateValue {
  readonly value: TermValue;
  /** Events by label, for the labels of the sum. */
  readonly events?: ReadonlyMap<number, number>;
}

/**
 * Computes a function of a sum over several labels, such as `mean(b.time - a.time)`, over the bindings in which every
 * attribute of the sum is a finite number. Returns undefined if this would require enumerating the bindings.
 */
export function aggregateSum(
  problem: BindingProblem,
  { carries, fewest }: AggregateFunction,
  sum: Sum,
  labels: readonly number[],
): AggregateValue | undefined {
  if (hasNone(problem)) return { value: fewest === 0n ? valueOfNumber(0) : UNDEFINED };
  switch (carries.kind) {
    case 'moments': {
      // Squares of sums are not linear.
      if (carries.squares) return undefined;
      const sums = sumsByLinearity(problem, sum, labels).total();
      return { value: valueOfMoments(carries, fewest, sums) };
    }
    case 'extreme': {
      const isLeast = carries.end === 'min';
      const best = extremeByTrees(problem, isLeast ? negate(sum) : sum, labels);
      if (best === undefined || best === 'none') return best && { value: UNDEFINED };
      const value = isLeast ? negateExact(best.value) : best.value;
      return { value: valueOfNumber(addExact(value, sum.constant)), events: best.events };
    }
    default:
      return undefined;
  }
}

/** Restricts each label to the events for which the label's part of a sum is a number. */
export function selectNumeric(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
): BindingProblem {
  const { session, lists } = problem;
  const numericEvents = labels.map((label) => {
    const { events } = lists[label] as Matches;
    const cells = cellsOf(session, partOfLabel(sum, label), events);
    return [
      label,
      events.filter((_, position) => numberAt(cells, position) !== undefined),
    ] as const;
  });
  return restrict(problem, new Map(numericEvents));
}

/**
 * Totals a sum over all bindings. Weights each part's value by the number of bindings that contain its event, and adds
 * the constant once per binding.
 */
function sumsByLinearity(problem: BindingProblem, sum: Sum, labels: readonly number[]): ExactSums {
  const sums = new ExactSums(false);
  const parts = new ExactSums(false);
  const { solutions } = solve(problem, { wanted: new Set(labels), counts: true });
  for (const { total, lists, of } of solutions) {
    if (total === 0n) continue;
    sums.add(sum.constant, total);
    for (const label of labels) {
      const { events } = lists[label] as Matches;
      const cells = cellsOf(problem.session, partOfLabel(sum, label), events);
      const counts = of.get(label);
      for (let position = 0; position < events.length; position++) {
        parts.add(numberAt(cells, position) as ExactNumber, counts?.(position) ?? 0);
      }
    }
  }
  sums.addSum(parts.total().sum);
  return sums;
}

/** An extreme value without the sum's constant, with its events by label; `none` if there are no bindings. */
type Extremum =
  | { readonly value: ExactNumber; readonly events: ReadonlyMap<number, number> }
  | 'none';

/** Computes a sum's maximum by join trees. Returns undefined if trees do not apply to the problem. */
function extremeByTrees(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
): Extremum | undefined {
  const { session, query, relations } = problem;
  if (!isPlanned(problem) || !relations.every(isMonotone)) return undefined;
  const trees = joinTrees([...query.labels.keys()], relations);
  const cases = trees && casesOf(problem);
  if (trees === undefined || cases === undefined) return undefined;
  let best: Extremum = 'none';
  for (const lists of cases) {
    const parts: Summands = new Map(
      labels.map((label) => {
        const { events } = lists[label] as Matches;
        const cells = cellsOf(session, partOfLabel(sum, label), events);
        return [label, Array.from(events, (_, position) => numberAt(cells, position))];
      }),
    );
    const largest = findLargestSum(new Solver(session, lists, false), trees, parts);
    if (largest !== undefined && (best === 'none' || compareExact(largest.value, best.value) > 0)) {
      const eventOf = (label: number) =>
        at((lists[label] as Matches).events, largest.positions.get(label) as number);
      const events = new Map(labels.map((label) => [label, eventOf(label)]));
      best = { value: largest.value, events };
    }
  }
  return best;
}
