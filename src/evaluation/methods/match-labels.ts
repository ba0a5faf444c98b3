import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import { type Relation, relationsOf, withBetween } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Selection } from '../order/selection.js';
import type { Query } from '../query/query.js';
import { difference } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { fitsTable } from './arrows.js';
import { solve } from './plan.js';
import {
  type AbsentLabels,
  type BindingProblem,
  hasNone,
  type Limits,
  restrict,
  type Solution,
} from './problem.js';

/** A problem, with the stages that led to it. */
export interface MatchedLabels {
  readonly problem: BindingProblem;
  /** The problem without the labels under NOT, whose absence is tested on its bindings. */
  readonly tested: BindingProblem;
  /** For each bound label, the events that its pattern and the FILTER conjuncts on it alone accept. */
  readonly accepted: readonly Int32Array[];
  /** For each label of MATCH, in order. */
  readonly stages: readonly LabelResult[];
  /** For each label of MATCH, the events that its pattern matches. */
  readonly matching: readonly Int32Array[];
}

export interface LabelResult {
  readonly label: string;
  /** Present if the pattern is under NOT. */
  readonly absent?: true;
  /** The number of events that the pattern matches. */
  readonly matched: number;
  /** The number of these that the FILTER conjuncts on this label alone accept. */
  readonly filtered: number;
  /**
   * The number of these that have, for each arrow of WHEN, a partner that itself remains; if the arrows form a
   * tree, exactly these are in an ordered binding.
   */
  readonly ordered: number;
}

/**
 * Selects the events of each label, reduces them along the arrows, and removes those that occur with what must be
 * absent.
 */
export function matchLabels(selection: Selection, query: Query, limits: Limits): MatchedLabels {
  const { session } = selection;
  const selected = selectLabels(selection, query);
  const accepted = selected.map(({ list }) => list);
  const candidates = problemOf({ session, limits }, query, accepted);
  const absent = query.absences.map((absence) => ({
    absence,
    selected: selectLabels(selection, absence.query, absence.shared.length),
  }));
  const places = query.places.map(({ number, absence }): Selected => {
    if (absence === undefined) return selected[number] as Selected;
    const { absence: ownAbsence, selected: others } = absent[absence] as (typeof absent)[number];
    return others[number - ownAbsence.shared.length] as Selected;
  });
  const stages = query.places.map(({ label, number, absence }, at): LabelResult => {
    const { matching, accepted } = places[at] as Selected;
    const [matched, filtered] = [matching.length, accepted.length];
    if (absence !== undefined) return { label, absent: true, matched, filtered, ordered: filtered };
    return { label, matched, filtered, ordered: (candidates.lists[number] as Matches).size };
  });
  const without = (problem: BindingProblem, isOfMatch: boolean) =>
    absent.reduce(
      (left, { absence, selected }) =>
        absence.isOfMatch === isOfMatch
          ? withoutAbsent(left, {
              absence,
              lists: selected.map(({ list }) => list),
              isRelated: false,
            })
          : left,
      problem,
    );
  const tested = without(candidates, false);
  const problem = without(tested, true);
  const matching = places.map((place) => place.matching);
  return { problem, tested, accepted: selected.map(({ accepted }) => accepted), stages, matching };
}

interface Selected {
  /** The events that the pattern matches. */
  readonly matching: Int32Array;
  /** The matching events that the FILTER conjuncts on this label alone accept. */
  readonly accepted: Int32Array;
  readonly list: Matches;
}

/**
 * Selects the events of each label of a query.
 *
 * @param first the label to begin with
 */
function selectLabels(
  selection: Selection,
  { patterns, filters, circular }: Query,
  first = 0,
): Selected[] {
  const { session } = selection;
  return patterns.slice(first).map((pattern, at) => {
    const all = selection.matching(pattern);
    const accepted = (filters[first + at] ?? []).reduce(
      (left, test) => selectEvents(session, test, left),
      all.events,
    );
    const events = circular.has(first + at) ? new Int32Array(0) : accepted;
    const list = events === all.events ? all : new Matches(session, events);
    return { matching: all.events, accepted, list };
  });
}

/**
 * Removes what one absence forbids: all of the problem, if the absence depends on no label; events of a label (a
 * semi-join), if it depends only on that; otherwise adds a requirement on bindings.
 */
function withoutAbsent(problem: BindingProblem, absent: AbsentLabels): BindingProblem {
  const { query, shared } = absent.absence;
  if (problem.undecided !== undefined || hasNone(problem)) return problem;
  if (hasNone({ query, lists: absent.lists, isForbidden: false })) return problem;
  const [label, other] = shared;
  if (other !== undefined) {
    const relations = relationsWith(problem, absent);
    const related = { ...absent, isRelated: relations !== undefined };
    const absences = [...problem.absences, related];
    return { ...problem, absences, relations: relations ?? problem.relations };
  }
  try {
    // The bindings that must not exist are a problem of their own.
    const lists = [
      ...shared.map((position) => problem.lists[position] as Matches),
      ...absent.lists,
    ];
    const forbidden = problemOf(problem, query, lists);
    const { solutions } = solve(forbidden, { wanted: new Set(shared.keys()), counts: false });
    if (label === undefined) {
      return { ...problem, isForbidden: solutions.some(({ total }) => total > 0n) };
    }
    const { events } = problem.lists[label] as Matches;
    const left = difference(events, boundEvents(problem.session, solutions, 0));
    return restrict(problem, new Map([[label, left]]));
  } catch (error) {
    if (error instanceof Undecided) return { ...problem, undecided: error };
    throw error;
  }
}

/** Returns undefined if relations do not express the absence, or its tables would be too large. */
function relationsWith(
  { relations, lists }: BindingProblem,
  { absence, lists: [via] }: AbsentLabels,
): Relation[] | undefined {
  const ends = absence.shared.map((label) => lists[label] as Matches);
  const fits = (end: Matches, via: Matches) => fitsTable(end, via) && fitsTable(via, end);
  if (via === undefined || !ends.every((end) => fits(end, via))) return undefined;
  return withBetween(relations, absence, via);
}

/** Returns the problem of a query over some events of its labels, without absences. */
function problemOf(
  { session, limits }: Pick<BindingProblem, 'session' | 'limits'>,
  query: Query,
  lists: readonly Matches[],
): BindingProblem {
  return {
    ...{ session, limits, query, absences: [], isForbidden: false },
    relations: relationsOf(query),
    lists: reduce(session, lists, query.arrows),
  };
}

/** Returns the events of a label that are in some binding, ascending. */
export function boundEvents(
  session: Session,
  solutions: readonly Solution[],
  label: number,
): Int32Array {
  const isBound = new Uint8Array(session.size);
  let size = 0;
  for (const { total, lists, of } of solutions) {
    const counts = of.get(label);
    if (total === 0n || counts === undefined) continue;
    (lists[label] as Matches).events.forEach((event, position) => {
      if (counts(position) <= 0 || isBound[event] === 1) return;
      isBound[event] = 1;
      size++;
    });
  }
  const events = new Int32Array(size);
  for (let event = 0, position = 0; position < size; event++) {
    if (isBound[event] === 1) events[position++] = event;
  }
  return events;
}
