import type { Counts } from '../join/exact-counts.js';
import type { Matches } from '../order/matches.js';
import { ArrowTables, type Ranges } from './arrow-tables.js';
import { type BindingOrder, bindingOrder, forcingClause } from './binding-order.js';
import { bindingTests } from './binding-tests.js';
import { NOTHING, type Problem, type Question, type Solution, Undecided } from './problem.js';
import { multiplyExactly, Tally } from './tally.js';

/** What an enumeration meets: events for the bound labels, and ranges for those that are counted. */
export interface Visit {
  /** For each bound label the position of its event in its list; -1 for the others. */
  readonly bound: Int32Array;
  /** How many bindings there are with these events. */
  readonly count: number | bigint;
  /** For each counted label, in their order, its ranges and how many events are in them. */
  readonly ranges: readonly (Ranges & { readonly size: number })[];
}

/** How many steps lie between two reports of progress. */
const STEPS_AT_A_TIME = 1 << 16;

/**
 * Binds labels one after the other, each to the events within the ranges that the arrows to
 * those before leave, and of the group that `=` leaves.
 *
 * O(steps), at most as many as the budget has.
 *
 * @param visit gives true to go no further
 * @throws {Undecided} when the budget is spent
 */
export function enumerate(
  problem: Problem,
  order: BindingOrder,
  visit: (visit: Visit) => boolean,
): void {
  const { query, lists, limits } = problem;
  const tables = new ArrowTables(problem);
  const tests = bindingTests(problem, order.bound);
  const bound = new Int32Array(query.labels.length).fill(-1);
  let steps = 0;
  let next = Math.min(STEPS_AT_A_TIME, limits.budget);
  const step = (count: number): void => {
    steps += count;
    if (steps <= next) return;
    if (steps > limits.budget) throw overBudget(problem, order);
    limits.onProgress?.(steps, limits.budget);
    next = Math.min(steps + STEPS_AT_A_TIME, limits.budget);
  };

  /** Meets what there is with the labels bound so far; gives true to go no further. */
  const meet = (): boolean => {
    const ranges = order.counted.map((label) => {
      const range = tables.ranges(label, bound);
      step(range.low.length);
      return { ...range, size: sizeOf(range) };
    });
    const count = ranges.reduce<number | bigint>((all, { size }) => multiplyExactly(all, size), 1);
    return count > 0 && visit({ bound, count, ranges });
  };
  const descend = (depth: number): boolean => {
    const label = order.bound[depth];
    if (label === undefined) return meet();
    const { low, high } = tables.ranges(label, bound);
    step(low.length);
    const list = lists[label] as Matches;
    const test = tests[depth] as (typeof tests)[number];
    const attempt = (position: number): boolean => {
      step(1);
      bound[label] = position;
      return test.holds(bound) && descend(depth + 1);
    };
    const group = test.group?.(bound);
    if (group !== undefined) {
      for (const position of group) {
        const probe = list.probes[position] as number;
        const isWithin = position >= (low[probe] as number) && position < (high[probe] as number);
        if (isWithin && attempt(position)) return true;
      }
    } else {
      for (let probe = 0; probe < low.length; probe++) {
        for (let at = low[probe] as number; at < (high[probe] as number); at++) {
          if (attempt(at)) return true;
        }
      }
    }
    bound[label] = -1;
    return false;
  };
  descend(0);
}

function sizeOf({ low, high }: Ranges): number {
  return high.reduce((sum, end, probe) => sum + Math.max(0, end - (low[probe] as number)), 0);
}

function overBudget(problem: Problem, { bound }: BindingOrder): Undecided {
  const sizes = bound.map(
    (label) => `${problem.query.labels[label]} (${(problem.lists[label] as Matches).size} events)`,
  );
  return new Undecided(
    forcingClause(problem),
    `it would take more than ${problem.limits.budget} steps to try the bindings of ${sizes.join(', ')}`,
    'match fewer events with a narrower pattern or FILTER, or raise the budget',
  );
}

/** Counts bindings by listing them. */
export function countByEnumeration(problem: Problem, question: Question): Solution {
  const { lists } = problem;
  if (lists.some(({ size }) => size === 0)) return NOTHING;
  const order = bindingOrder(problem, new Set());
  const tallies = new Map(
    [...question.wanted].map((label) => [label, new Tally((lists[label] as Matches).size + 1)]),
  );
  let total = 0n;
  enumerate(problem, order, ({ bound, count, ranges }) => {
    total += BigInt(count);
    for (const label of order.bound) tallies.get(label)?.add(bound[label] as number, count);
    order.counted.forEach((label, at) => {
      const tally = tallies.get(label);
      if (tally !== undefined) addToRanges(tally, ranges[at] as Visit['ranges'][number], count);
    });
    return question.wanted.size === 0 && !question.counts;
  });
  const of = new Map<number, Counts>();
  for (const [label, tally] of tallies) {
    of.set(
      label,
      order.bound.includes(label)
        ? (at) => tally.at(at)
        : runningCounts(tally, lists[label] as Matches),
    );
  }
  return { total, lists, of };
}

/** All events in the ranges get the same: the difference stands where a range begins and ends. */
function addToRanges(
  tally: Tally,
  { low, high, size }: Visit['ranges'][number],
  count: number | bigint,
): void {
  const each = typeof count === 'number' ? count / size : count / BigInt(size);
  for (let probe = 0; probe < low.length; probe++) {
    if ((low[probe] as number) >= (high[probe] as number)) continue;
    tally.add(low[probe] as number, each);
    tally.add(high[probe] as number, -each);
  }
}

/** The counts of which a tally holds the differences. */
function runningCounts(tally: Tally, { size }: Matches): Counts {
  const counts = new Tally(size);
  let sum = 0n;
  for (let at = 0; at < size; at++) {
    sum += BigInt(tally.at(at));
    counts.add(at, sum);
  }
  return (at) => counts.at(at);
}
