import type { Expression } from '../../expression/index.js';
import { integerAt, type Session, ValueKind } from '../../session/index.js';
import { at } from '../../source/index.js';
import { bindingTests } from '../methods/binding-tests.js';
import { PLAN, solve } from '../methods/plan.js';
import {
  type BindingProblem,
  BUDGET,
  hasNone,
  matchLabels,
  restrict,
  Undecided,
} from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { firstAfter, lastBefore } from '../order/reduce.js';
import { buildQuery } from '../query/build-query.js';
import { firstAtLeast } from '../select/candidates.js';
import type { Binding, EventPlace, Evidence } from './result.js';

/** A pass over the receives takes about as long as to try an event for each so many of them. */
const RECEIVES_PER_EVENT = 4;

/** What part of the budget may be spent to leave out events before the search. */
const NARROWING_PART = 0.1;

export interface BindingsOptions {
  /** As for `evaluate`. */
  readonly budget?: number;
}

/**
 * The first bindings of an expression; what AGGREGATE says of them plays no part.
 *
 * @param limit how many at most
 * @returns undefined where the budget is spent before they are known
 * @throws {RangeError} for a label or a function that does not exist
 */
export function bindings(
  session: Session,
  expression: Expression,
  limit: number,
  options: BindingsOptions = {},
): Binding[] | undefined {
  const query = buildQuery(expression);
  const budget = options.budget ?? BUDGET;
  const problem = matchLabels(session, query, { budget }, PLAN);
  const listing = listBindings(problem, limit, budget);
  return listing.isComplete ? listing.bindings : undefined;
}

/** Events of some labels that have the extreme of an aggregate. */
export interface ExtremeBinding {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly events: ReadonlyMap<number, number>;
}

/** What part of the budget a search for evidence may take, and what it may take of any. */
const SEARCH_PART = 0.1;
const LEAST_TRIED = 100_000;

/**
 * Bindings that show the result: for each extreme one that has it; without extremes the first
 * ones. Those that are not found soon are left out.
 *
 * @param limit how many of the first ones
 */
export function findEvidence(
  problem: BindingProblem,
  extremes: readonly ExtremeBinding[],
  limit: number,
): Evidence[] {
  const most = Math.max(LEAST_TRIED, problem.limits.budget * SEARCH_PART);
  if (extremes.length === 0) {
    const { bindings } = listBindings(problem, limit, most);
    return bindings.map((binding) => ({ why: 'first', binding }));
  }
  return extremes.flatMap(({ why, of, events }) => {
    const only = new Map([...events].map(([label, event]) => [label, Int32Array.of(event)]));
    const { bindings } = listBindings(restrict(problem, only), 1, most);
    return bindings.map((binding) => ({ why, of, binding }));
  });
}

/** The first bindings of a problem. */
interface BindingList {
  readonly bindings: Binding[];
  /** False where the search gave up before it had as many as there are, up to the limit. */
  readonly isComplete: boolean;
}

/**
 * The first bindings: labels along the relations from the first one, the events of each in the
 * order of the session. It does not depend on the method.
 *
 * One pass over the receives for each event bound, after the events in no binding are left out.
 *
 * @param most how many events are tried before the search gives up; a pass counts as some of them
 */
function listBindings(given: BindingProblem, limit: number, most: number): BindingList {
  const problem = withoutUnbound(given);
  const { query, lists } = problem;
  if (hasNone(problem) || limit < 1) return { bindings: [], isComplete: true };
  const order = listingOrder(problem);
  const tests = bindingTests(problem, order);
  const bound = new Int32Array(query.labels.length).fill(-1);
  const bindings: Binding[] = [];
  const ends = order.map((label) => arrowsBack(problem, label, order));
  const pass = Math.ceil(problem.session.order.receives.length / RECEIVES_PER_EVENT);
  let tried = 0;
  let isComplete = true;
  /** Gives true to go no further. */
  const descend = (depth: number): boolean => {
    const label = order[depth];
    if (label === undefined) {
      bindings.push(bindingOf(problem, bound));
      return bindings.length === limit;
    }
    const list = lists[label] as Matches;
    const test = tests[depth] as (typeof tests)[number];
    const arrows = ends[depth] as Arrows;
    tried += (arrows.earlier.length + arrows.later.length) * pass;
    const ranges = orderedRanges(problem, arrows, bound, list);
    for (const position of positionsIn(ranges, test.group?.(bound), list)) {
      if (tried++ >= most) {
        isComplete = false;
        return true;
      }
      bound[label] = position;
      if (test.holds(bound) && descend(depth + 1)) return true;
    }
    bound[label] = -1;
    return false;
  };
  descend(0);
  return { bindings, isComplete };
}

/**
 * The problem with only the events that are in a binding, so that the search meets few dead ends;
 * the problem itself where these are not found soon.
 */
function withoutUnbound(problem: BindingProblem): BindingProblem {
  const { limits } = problem;
  const narrowing = { ...limits, budget: limits.budget * NARROWING_PART };
  try {
    return restrict(problem, eventsInBindings({ ...problem, plan: PLAN, limits: narrowing }));
  } catch (error) {
    if (error instanceof Undecided) return problem;
    throw error;
  }
}

/** @throws {Undecided} */
function eventsInBindings(problem: BindingProblem): Map<number, Int32Array> {
  const { labels } = problem.query;
  const { solutions } = solve(problem, { wanted: new Set(labels.keys()), counts: false });
  return new Map(
    labels.map((_, label): [number, Int32Array] => {
      const some = solutions.flatMap(({ total, lists, of }) => {
        if (total === 0n) return [];
        const counts = of.get(label);
        return [(lists[label] as Matches).events.filter((_, place) => (counts?.(place) ?? 0) > 0)];
      });
      const [only, ...others] = some;
      if (only !== undefined && others.length === 0) return [label, only];
      const all = new Set(some.flatMap((events) => [...events]));
      return [label, Int32Array.from(all).sort()];
    }),
  );
}

/** From the first label along the relations, smaller numbers first. */
function listingOrder({ query, relations }: BindingProblem): number[] {
  const order: number[] = [];
  const left = new Set(query.labels.keys());
  while (left.size > 0) {
    const near = [...left].find((label) =>
      relations.some(
        ({ u, v }) => (u === label && order.includes(v)) || (v === label && order.includes(u)),
      ),
    );
    const next = near ?? Math.min(...left);
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** The labels bound before that must come earlier or later. */
interface Arrows {
  readonly earlier: readonly number[];
  readonly later: readonly number[];
}

function arrowsBack({ query }: BindingProblem, label: number, order: readonly number[]): Arrows {
  const known = new Set(order.slice(0, order.indexOf(label)));
  return {
    earlier: query.arrows.flatMap(([a, b]) => (b === label && known.has(a) ? [a] : [])),
    later: query.arrows.flatMap(([a, b]) => (a === label && known.has(b) ? [b] : [])),
  };
}

/** The positions on a probe from the first to before the second. */
type Range = readonly [number, number];

/** For each probe the events that stand in the order that the arrows to bound labels ask for. */
function orderedRanges(
  { session, lists }: BindingProblem,
  { earlier, later }: Arrows,
  bound: Int32Array,
  { events, start }: Matches,
): Range[] {
  const single = (label: number, none: number) => {
    const list = lists[label] as Matches;
    const position = at(bound, label);
    const only = new Int32Array(session.probes.length).fill(none);
    only[at(list.probes, position)] = at(list.events, position);
    return only;
  };
  const after = earlier.map((label) => firstAfter(session, single(label, session.size)));
  const before = later.map((label) => lastBefore(session, single(label, -1)));
  return session.probes.map((_, probe): Range => {
    const first = Math.max(0, ...after.map((from) => at(from, probe)));
    const last = Math.min(session.size, ...before.map((to) => at(to, probe)));
    const [from, to] = [at(start, probe), at(start, probe + 1)];
    const low = firstAtLeast(events, first, from, to);
    return [low, firstAtLeast(events, last + 1, low, to)];
  });
}

/** The positions in the ranges, ascending; only those of the group where there is one. */
function* positionsIn(
  ranges: readonly Range[],
  group: Int32Array | undefined,
  { probes }: Matches,
): Generator<number, void, undefined> {
  if (group === undefined) {
    for (const [from, to] of ranges) for (let place = from; place < to; place++) yield place;
    return;
  }
  for (const position of group) {
    const [from, to] = ranges[at(probes, position)] as Range;
    if (position >= from && position < to) yield position;
  }
}

function bindingOf({ session, query, lists }: BindingProblem, bound: Int32Array): Binding {
  return Object.fromEntries(
    query.labels.map((label, number) => {
      const list = lists[number] as Matches;
      const position = at(bound, number);
      return [label, placeOf(session, at(list.events, position), at(list.probes, position))];
    }),
  );
}

/** Where a person finds an event. */
function placeOf(session: Session, event: number, probe: number): EventPlace {
  const seqs = session.columns.get('seq');
  const hasSeq = seqs !== undefined && seqs.kinds[event] === ValueKind.integer;
  const place = event - at(session.start, probe);
  return {
    probe: session.probes[probe] as string,
    seq: hasSeq ? shownSeq(integerAt(seqs, event)) : place,
  };
}

/** A number as far as that is exact, also when it is written, else a text. */
export function shownSeq(seq: bigint): number | string {
  const number = Number(seq);
  return Number.isSafeInteger(number) ? number : String(seq);
}
