import { integerAt, type Session, ValueKind } from '../../session/index.js';
import { at } from '../../source/index.js';
import { unlessUndecided } from '../exact/undecided.js';
import { enumerate, orderByRelations } from '../methods/enumerate.js';
import { findBoundEvents } from '../methods/match-labels.js';
import { PLAN, solve } from '../methods/plan.js';
import { type BindingProblem, hasNone, type Limits, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { findFirstAtLeast } from '../select/candidates.js';
import { originalEvent, originalOf } from '../select/regrouped.js';
import type { EventPlace } from './result.js';
import type { EventNumbers } from './source.js';

/** Fraction of the budget for removing unbound events before the search. */
const NARROWING_PART = 0.1;

/** Fraction of the budget, and minimum number of steps, for an evidence search. */
const SEARCH_PART = 0.1;
const LEAST_TRIED = 100_000;

/** Returns the limits for an evidence search. */
export function evidenceLimits({ budget, plan }: Limits): Limits {
  return { plan, budget: Math.max(LEAST_TRIED, budget * SEARCH_PART) };
}

/**
 * Returns the first bindings. Binds the labels along the relations, starting with the first label, and tries each
 * label's events in session order. The result does not depend on the method.
 *
 * Makes one pass over the receives for each bound event, after removing unbound events.
 *
 * @param budget maximum number of steps
 * @param bindings receives each binding as it is found
 * @throws {Undecided} if the budget is exhausted
 */
export function findBindings(
  original: BindingProblem,
  limit: number,
  budget: number,
  bindings: EventNumbers[] = [],
): readonly EventNumbers[] {
  const problem = { ...dropUnbound(original), limits: { budget, plan: PLAN } };
  const bound = orderByRelations(problem.relations, [...problem.lists.keys()]);
  const visit = (visit: { readonly bound: Int32Array }) =>
    bindings.push(boundEventNumbers(problem, visit.bound)) === limit;
  if (!hasNone(problem) && limit > 0) {
    enumerate(problem, { bound, counted: [] }, visit, 'passes');
  }
  return bindings;
}

/** Returns the first bindings found within the budget. */
export function findSomeBindings(
  problem: BindingProblem,
  limit: number,
  budget: number,
): readonly EventNumbers[] {
  const bindings: EventNumbers[] = [];
  unlessUndecided(() => findBindings(problem, limit, budget, bindings));
  return bindings;
}

/**
 * Restricts a problem to bound events, which spares the search most dead ends. Returns the problem unchanged if finding
 * these events exceeds a fraction of the budget.
 */
function dropUnbound(problem: BindingProblem): BindingProblem {
  const { limits } = problem;
  const narrowing = { ...limits, plan: PLAN, budget: limits.budget * NARROWING_PART };
  const events = unlessUndecided(() => eventsInBindings({ ...problem, limits: narrowing }));
  return events === undefined ? problem : restrict(problem, events);
}

/**
 * Returns the events in bindings, by label.
 *
 * @throws {Undecided}
 */
export function eventsInBindings(problem: BindingProblem): Map<number, Int32Array> {
  const { labels } = problem.query;
  const { solutions } = solve(problem, { wanted: new Set(labels.keys()), counts: false });
  return new Map(
    labels.map((_, label) => [label, findBoundEvents(problem.session, solutions, label)]),
  );
}

function boundEventNumbers({ query, lists }: BindingProblem, bound: Int32Array): EventNumbers {
  return new Map(
    query.labels.map((label, number) => {
      const { events } = lists[number] as Matches;
      return [label, at(events, at(bound, number))];
    }),
  );
}

/** Returns an event's human-readable position: its probe, timeline and sequence number. */
export function eventPlace(of: Session, number: number): EventPlace {
  const [session, event] = [originalOf(of), originalEvent(of, number)];
  const { probes, timelines, texts } = session;
  const line = findFirstAtLeast(timelines.start, event + 1) - 1;
  const timeline = texts[at(timelines.name, line)];
  const seqs = session.columns.get('seq');
  const hasSeq = seqs !== undefined && seqs.kinds[event] === ValueKind.integer;
  const position = event - at(timelines.start, line);
  return {
    probe: probes[at(timelines.probe, line)] as string,
    ...(timeline !== undefined && { timeline }),
    seq: hasSeq ? exactSeq(integerAt(seqs, event)) : position,
  };
}

/** Formats a position as `PROBE #seq`, or as `PROBE TIMELINE #seq` for a named timeline. */
export function placeText({ probe, timeline, seq }: EventPlace): string {
  return [probe, ...(timeline === undefined ? [] : [timeline]), `#${seq}`].join(' ');
}

/** Converts a sequence number to a number if a double is exact, otherwise to a string. */
export function exactSeq(seq: bigint): number | string {
  const number = Number(seq);
  return Number.isSafeInteger(number) ? number : String(seq);
}
