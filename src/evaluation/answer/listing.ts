import type { Expression } from '../../expression/index.js';
import { integerAt, type Session, ValueKind } from '../../session/index.js';
import { at } from '../../source/index.js';
import { orUndecided, Undecided } from '../exact/undecided.js';
import { alongRelations, enumerate } from '../methods/enumerate.js';
import { boundEvents, matchLabels } from '../methods/match-labels.js';
import { PLAN, solve } from '../methods/plan.js';
import { type BindingProblem, BUDGET, hasNone, type Limits, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { buildQuery } from '../query/build-query.js';
import { firstAtLeast } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import type { Binding, EventPlace, Why } from './result.js';

/** What part of the budget may be spent on leaving out events before the search. */
const NARROWING_PART = 0.1;

export interface BindingsOptions {
  /** As for `evaluate`. */
  readonly budget?: number;
}

/**
 * The first bindings of an expression; AGGREGATE is disregarded.
 *
 * @param limit the most to give
 * @returns undefined if the budget is spent before they are known
 * @throws {RangeError} for a label or a function that does not exist
 */
export function bindings(
  session: Session,
  expression: Expression,
  limit: number,
  options: BindingsOptions = {},
): Binding[] | undefined {
  const budget = options.budget ?? BUDGET;
  const matched = orUndecided(() => {
    const query = buildQuery(expression, () => timesOf(session));
    return matchLabels(session, query, { budget, plan: PLAN });
  });
  if (matched instanceof Undecided) return undefined;
  const listing = listBindings(matched.problem, limit, budget);
  if (!listing.isComplete) return undefined;
  return listing.bindings.map((events) =>
    Object.fromEntries([...events].map(([label, event]) => [label, placeOf(session, event)])),
  );
}

/** Events of some labels that have the extreme of an aggregate. */
export interface ExtremeBinding {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly events: ReadonlyMap<number, number>;
}

/** A binding that shows why: the number of each label's event. */
export interface Found {
  readonly why: Why;
  readonly of?: string;
  readonly events: EventNumbers;
}

type EventNumbers = ReadonlyMap<string, number>;

/** What part of the budget a search for evidence may take, and how many steps it may always take. */
const SEARCH_PART = 0.1;
const LEAST_TRIED = 100_000;

/** The limits of each search for evidence. */
export function evidenceLimits({ budget, plan }: Limits): Limits {
  return { plan, budget: Math.max(LEAST_TRIED, budget * SEARCH_PART) };
}

/**
 * Bindings that show the result: for each extreme, one that has it; without extremes, the first
 * ones. Those that are not found soon are left out.
 *
 * @param limit how many of the first ones to give
 */
export function findEvidence(
  problem: BindingProblem,
  extremes: readonly ExtremeBinding[],
  limit: number,
): Found[] {
  const { budget: most } = evidenceLimits(problem.limits);
  if (extremes.length === 0) {
    const { bindings } = listBindings(problem, limit, most);
    return bindings.map((events) => ({ why: 'first', events }));
  }
  return extremes.flatMap(({ why, of, events }) => {
    const only = new Map([...events].map(([label, event]) => [label, Int32Array.of(event)]));
    const { bindings } = listBindings(restrict(problem, only), 1, most);
    return bindings.map((events) => ({ why, of, events }));
  });
}

/** The first bindings of a problem. */
interface BindingList {
  readonly bindings: EventNumbers[];
  /** False if the search gave up before it had all of them, or as many as the limit. */
  readonly isComplete: boolean;
}

/**
 * The first bindings: labels along the relations from the first one, the events of each in the
 * order of the session. The result does not depend on the method.
 *
 * One pass over the receives for each event bound, after the events in no binding are left out.
 *
 * @param budget the most steps before the search gives up
 */
function listBindings(given: BindingProblem, limit: number, budget: number): BindingList {
  const problem = { ...withoutUnbound(given), limits: { budget, plan: PLAN } };
  const bindings: EventNumbers[] = [];
  const bound = alongRelations(problem.relations, [...problem.lists.keys()]);
  const visit = (visit: { readonly bound: Int32Array }) =>
    bindings.push(eventsOf(problem, visit.bound)) === limit;
  const searched = orUndecided(() => {
    if (hasNone(problem) || limit < 1) return;
    enumerate(problem, { bound, counted: [] }, visit, 'passes');
  });
  return { bindings, isComplete: !(searched instanceof Undecided) };
}

/**
 * The problem with only the events that are in a binding, so that the search meets few dead ends;
 * the problem itself if these are not found soon.
 */
function withoutUnbound(problem: BindingProblem): BindingProblem {
  const { limits } = problem;
  const narrowing = { ...limits, plan: PLAN, budget: limits.budget * NARROWING_PART };
  const found = orUndecided(() => eventsInBindings({ ...problem, limits: narrowing }));
  return found instanceof Undecided ? problem : restrict(problem, found);
}

/** @throws {Undecided} */
export function eventsInBindings(problem: BindingProblem): Map<number, Int32Array> {
  const { labels } = problem.query;
  const { solutions } = solve(problem, { wanted: new Set(labels.keys()), counts: false });
  return new Map(labels.map((_, label) => [label, boundEvents(problem.session, solutions, label)]));
}

function eventsOf({ query, lists }: BindingProblem, bound: Int32Array): EventNumbers {
  return new Map(
    query.labels.map((label, number) => {
      const { events } = lists[number] as Matches;
      return [label, at(events, at(bound, number))];
    }),
  );
}

/** Where people find an event. */
export function placeOf(session: Session, event: number): EventPlace {
  const { probes, timelines, texts } = session;
  const line = firstAtLeast(timelines.start, event + 1) - 1;
  const timeline = texts[at(timelines.name, line)];
  const seqs = session.columns.get('seq');
  const hasSeq = seqs !== undefined && seqs.kinds[event] === ValueKind.integer;
  const place = event - at(timelines.start, line);
  return {
    probe: probes[at(timelines.probe, line)] as string,
    ...(timeline !== undefined && { timeline }),
    seq: hasSeq ? shownSeq(integerAt(seqs, event)) : place,
  };
}

/** `PROBE #seq`, with the name of the timeline, if it has one, in between. */
export function placeText({ probe, timeline, seq }: EventPlace): string {
  return [probe, ...(timeline === undefined ? [] : [timeline]), `#${seq}`].join(' ');
}

/** A number if that is exact, even when written out; else a text. */
export function shownSeq(seq: bigint): number | string {
  const number = Number(seq);
  return Number.isSafeInteger(number) ? number : String(seq);
}
