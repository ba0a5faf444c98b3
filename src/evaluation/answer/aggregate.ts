import type { AggregateFunction } from '../../expression/index.js';
import { at } from '../../source/index.js';
import { addExact, compareExact, type Exact, negateExact } from '../exact/number.js';
import { ExactSums } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments, valueOfNumber } from '../exact/term-value.js';
import { largestSum, type Summands } from '../join/count-trees.js';
import { Solver } from '../join/propagate.js';
import { isMonotone } from '../join/relation.js';
import { numberOf } from '../methods/binding-tests.js';
import { casesOf, isPlanned } from '../methods/count-by-trees.js';
import { bindingOrder, enumerate } from '../methods/enumerate.js';
import { solve } from '../methods/plan.js';
import { type BindingProblem, hasNone, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { negated, partOfLabel } from '../query/operand.js';
import type { Sum } from '../query/query.js';
import { joinTrees } from '../query/query.js';
import { cellsOf, numberAt } from '../select/cells.js';

/** What a function comes to, and for `max` and `min` the first event that has it. */
export interface AggregateValue {
  readonly value: TermValue;
  /** For labels whose event is known. */
  readonly events?: ReadonlyMap<number, number>;
}

/**
 * A function of a sum over several labels, such as `mean(b.time - a.time)`: over the bindings in
 * which each attribute of it is a finite number.
 */
export function aggregateSum(
  all: BindingProblem,
  { carries, fewest }: AggregateFunction,
  sum: Sum,
  labels: readonly number[],
): AggregateValue {
  const problem = restrict(all, numericEvents(all, sum, labels));
  if (hasNone(problem)) return { value: UNDEFINED };
  if (carries.kind === 'moments') {
    const sums = carries.squares ? sumsByEnumeration : sumsByLinearity;
    return { value: valueOfMoments(carries, fewest, sums(problem, sum, labels).total()) };
  }
  return carries.kind === 'extreme' && carries.end === 'min'
    ? extreme(problem, negated(sum), labels, negateExact)
    : extreme(problem, sum, labels, (value) => value);
}

/** For each label the events at which its part of the sum is a number. */
export function numericEvents(
  { session, lists }: BindingProblem,
  sum: Sum,
  labels: readonly number[],
): Map<number, Int32Array> {
  return new Map(
    labels.map((label) => {
      const { events } = lists[label] as Matches;
      const cells = cellsOf(session, partOfLabel(sum, label), events);
      return [label, events.filter((_, place) => numberAt(cells, place) !== undefined)];
    }),
  );
}

/**
 * The sum of sums over the bindings is the sum of each part over the counts of its events. The
 * number of bindings counts once, with the constant.
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
      for (let place = 0; place < events.length; place++) {
        parts.add(numberAt(cells, place) as Exact, counts?.(place) ?? 0);
      }
    }
  }
  sums.addSum(parts.total().sum);
  return sums;
}

/** Squares of sums are not linear: the bindings of these labels are tried one by one. */
function sumsByEnumeration(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
): ExactSums {
  const sums = new ExactSums(true);
  const sumIn = numberOf(problem.session, sum, problem.lists);
  enumerate(problem, bindingOrder(problem, new Set(labels)), ({ bound, count }) => {
    sums.add(sumIn(bound) as Exact, count);
    return false;
  });
  return sums;
}

function extreme(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
  show: (value: Exact) => Exact,
): AggregateValue {
  const best = extremeByTrees(problem, sum, labels) ?? extremeByEnumeration(problem, sum, labels);
  if (best === 'none') return { value: UNDEFINED };
  const { value, events } = best;
  return { value: valueOfNumber(show(addExact(value, sum.constant))), events };
}

/** The value without the constant, and the events of the labels. */
type Best = { readonly value: Exact; readonly events: ReadonlyMap<number, number> } | 'none';

/** Undefined where it does not apply. */
function extremeByTrees(
  problem: BindingProblem,
  sum: Sum,
  labels: readonly number[],
): Best | undefined {
  const { session, query, relations } = problem;
  if (!isPlanned(problem) || !relations.every(isMonotone)) return undefined;
  const trees = joinTrees([...query.labels.keys()], relations);
  const cases = trees && casesOf(problem);
  if (trees === undefined || cases === undefined) return undefined;
  let best: Best = 'none';
  for (const lists of cases) {
    const parts: Summands = new Map(
      labels.map((label) => {
        const { events } = lists[label] as Matches;
        const cells = cellsOf(session, partOfLabel(sum, label), events);
        return [label, Array.from(events, (_, place) => numberAt(cells, place))];
      }),
    );
    const found = largestSum(new Solver(session, lists), trees, parts);
    if (found !== undefined && (best === 'none' || compareExact(found.value, best.value) > 0)) {
      best = { value: found.value, events: eventsAt(lists, labels, found.positions) };
    }
  }
  return best;
}

function eventsAt(
  lists: readonly Matches[],
  labels: readonly number[],
  positions: ReadonlyMap<number, number>,
): Map<number, number> {
  return new Map(
    labels.map((label) => {
      const { events } = lists[label] as Matches;
      return [label, at(events, positions.get(label) as number)];
    }),
  );
}

function extremeByEnumeration(problem: BindingProblem, sum: Sum, labels: readonly number[]): Best {
  const { lists } = problem;
  const sumIn = numberOf(problem.session, { ...sum, constant: 0 }, lists);
  let best: Best = 'none';
  enumerate(problem, bindingOrder(problem, new Set(labels)), ({ bound }) => {
    const value = sumIn(bound) as Exact;
    if (best === 'none' || compareExact(value, best.value) > 0) {
      const positions = new Map(labels.map((label) => [label, at(bound, label)]));
      best = { value, events: eventsAt(lists, labels, positions) };
    }
    return false;
  });
  return best;
}
