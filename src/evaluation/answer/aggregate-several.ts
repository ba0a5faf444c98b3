import type { AggregateFunction } from '../../expression/index.js';
import { addExact, compareExact, type Exact, negateExact } from '../exact/number.js';
import { ExactSums } from '../exact/sums.js';
import { type Extreme, largestSum, type Parts } from '../join/extremes.js';
import { joinTrees } from '../join/join-tree.js';
import { isMonotone } from '../join/relation.js';
import { Solver } from '../join/solver.js';
import { bindingOrder } from '../methods/binding-order.js';
import { numberOf } from '../methods/binding-tests.js';
import { casesOf } from '../methods/cases.js';
import { enumerate } from '../methods/enumerate.js';
import type { Problem } from '../methods/problem.js';
import { solve } from '../methods/solve.js';
import type { Matches } from '../order/matches.js';
import { negated, partOf } from '../query/operand.js';
import type { Sum } from '../query/query.js';
import { cellsOf, numberAt } from '../select/cells.js';
import { type AggregateValue, UNDEFINED, valueOfMoments, valueOfNumber } from './aggregate.js';
import { restrict } from './matching.js';

/**
 * A function of a sum over several labels, such as `mean(b.time - a.time)`: over the bindings in
 * which each attribute of it is a finite number.
 */
export function aggregateSeveral(
  all: Problem,
  { carries, fewest }: AggregateFunction,
  sum: Sum,
  labels: readonly number[],
): AggregateValue {
  const problem = restrict(all, numericEvents(all, sum, labels));
  const { lists, query } = problem;
  const isEmpty = lists.some(({ size }) => size === 0);
  if (isEmpty || query.neverHolds || query.circular.size > 0) return UNDEFINED;
  if (carries.kind === 'moments') {
    const sums = carries.squares ? sumsByEnumeration : sumsByLinearity;
    return { value: valueOfMoments(carries, fewest, sums(problem, sum, labels).total()) };
  }
  return carries.kind === 'extreme' && carries.end === 'min'
    ? extreme(problem, negated(sum), labels, negateExact)
    : extreme(problem, sum, labels, (value) => value);
}

/** For each label the events at which its part of the sum is a number. */
function numericEvents(
  { session, lists }: Problem,
  sum: Sum,
  labels: readonly number[],
): Map<number, Int32Array> {
  return new Map(
    labels.map((label) => {
      const { events } = lists[label] as Matches;
      const cells = cellsOf(session, partOf(sum, label), events);
      return [label, events.filter((_, at) => numberAt(cells, at) !== undefined)];
    }),
  );
}

/**
 * The sum of sums over the bindings is the sum of each part over the counts of its events. The
 * number of bindings counts once, with the constant.
 */
function sumsByLinearity(problem: Problem, sum: Sum, labels: readonly number[]): ExactSums {
  const sums = new ExactSums(false);
  const parts = new ExactSums(false);
  const { solutions } = solve(problem, { wanted: new Set(labels), counts: true });
  for (const { total, lists, of } of solutions) {
    if (total === 0n) continue;
    sums.add(sum.constant, total);
    for (const label of labels) {
      const { events } = lists[label] as Matches;
      const cells = cellsOf(problem.session, partOf(sum, label), events);
      const counts = of.get(label);
      for (let at = 0; at < events.length; at++) {
        parts.add(numberAt(cells, at) as Exact, counts?.(at) ?? 0);
      }
    }
  }
  sums.addSum(parts.total().sum);
  return sums;
}

/** Squares of sums are not linear: the bindings of these labels are tried one by one. */
function sumsByEnumeration(problem: Problem, sum: Sum, labels: readonly number[]): ExactSums {
  const sums = new ExactSums(true);
  const sumIn = numberOf(problem.session, sum, problem.lists);
  enumerate(problem, bindingOrder(problem, new Set(labels)), ({ bound, count }) => {
    sums.add(sumIn(bound) as Exact, count);
    return false;
  });
  return sums;
}

function extreme(
  problem: Problem,
  sum: Sum,
  labels: readonly number[],
  show: (value: Exact) => Exact,
): AggregateValue {
  const best = extremeByTrees(problem, sum, labels) ?? extremeByEnumeration(problem, sum, labels);
  if (best === 'none') return UNDEFINED;
  const { value, events } = best;
  return { value: valueOfNumber(show(addExact(value, sum.constant))), events };
}

/** The value without the constant, and the events of the labels. */
type Best = { readonly value: Exact; readonly events: ReadonlyMap<number, number> } | 'none';

/** Undefined where it does not apply. */
function extremeByTrees(problem: Problem, sum: Sum, labels: readonly number[]): Best | undefined {
  const { session, query, relations, limits } = problem;
  if (limits.method === 'enumeration' || !relations.every(isMonotone)) return undefined;
  const all = query.labels.map((_, label) => label);
  const trees = joinTrees(all, relations);
  const cases = trees && casesOf(problem);
  if (trees === undefined || cases === undefined) return undefined;
  let best: Best = 'none';
  for (const lists of cases) {
    const parts: Parts = new Map(
      labels.map((label) => {
        const { events } = lists[label] as Matches;
        const cells = cellsOf(session, partOf(sum, label), events);
        return [label, Array.from(events, (_, at) => numberAt(cells, at))];
      }),
    );
    const found = largestSum(new Solver(session, lists, limits.clocks), trees, parts);
    if (found !== undefined && (best === 'none' || compareExact(found.value, best.value) > 0)) {
      best = { value: found.value, events: eventsAt(found, lists, labels) };
    }
  }
  return best;
}

function eventsAt(
  { positions }: Extreme,
  lists: readonly Matches[],
  labels: readonly number[],
): Map<number, number> {
  return new Map(
    labels.map((label) => {
      const position = positions.get(label) as number;
      return [label, (lists[label] as Matches).events[position] as number];
    }),
  );
}

function extremeByEnumeration(problem: Problem, sum: Sum, labels: readonly number[]): Best {
  const { lists } = problem;
  const sumIn = numberOf(problem.session, { ...sum, constant: 0 }, lists);
  let best: Best = 'none';
  enumerate(problem, bindingOrder(problem, new Set(labels)), ({ bound }) => {
    const value = sumIn(bound) as Exact;
    if (best === 'none' || compareExact(value, best.value) > 0) {
      const events = labels.map((label): [number, number] => {
        return [label, (lists[label] as Matches).events[bound[label] as number] as number];
      });
      best = { value, events: new Map(events) };
    }
    return false;
  });
  return best;
}
