import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import { addBetween, type Relation, relationsOf } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Selection } from '../order/selection.js';
import type { Query } from '../query/query.js';
import { difference } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { canBuildTable } from './arrows.js';
import { solve } from './plan.js';
import {
  type AbsentLabels,
  type BindingProblem,
  hasNone,
  type Limits,
  restrict,
  type Solution,
} from './problem.js';

/** A binding problem, with the results of each matching stage. */
export interface MatchedLabels {
  readonly problem: BindingProblem;
  /** The problem before the absences under NOT are applied. These absences are tested on its bindings. */
  readonly testedProblem: BindingProblem;
  /** For each bound label, the events accepted by its pattern and by the FILTER conjuncts on this label alone. */
  readonly acceptedEvents: readonly Int32Array[];
  /** The result for each label of MATCH, in order. */
  readonly stages: readonly LabelResult[];
  /** For each label of MATCH, the events that match its pattern. */
  readonly matching: readonly Int32Array[];
}

export interface LabelResult {
  readonly label: string;
  /** Present if the pattern is under NOT. */
  readonly absent?: true;
  /** The number of events that match the pattern. */
  readonly matched: number;
  /** The number of matching events accepted by the FILTER conjuncts on this label alone. */
  readonly filtered: number;
  /**
   * The number of filtered events that remain after repeatedly removing events without a partner for an arrow of WHEN.
   * If the arrows form a tree, exactly the remaining events are in an ordered binding.
   */
  readonly ordered: number;
}

/** Selects each label's events, reduces them along the arrows, and applies the absences. */
export function matchLabels(selection: Selection, query: Query, limits: Limits): MatchedLabels {
  const { session } = selection;
  const selections = selectLabels(selection, query);
  const acceptedEvents = selections.map(({ list }) => list);
  const candidates = problemOf({ session, limits }, query, acceptedEvents);
  const absent = query.absences.map((absence) => ({
    absence,
    selected: selectLabels(selection, absence.query, absence.shared.length),
  }));
  const places = query.places.map(({ number, absence }): LabelSelection => {
    if (absence === undefined) return selections[number] as LabelSelection;
    const { absence: ownAbsence, selected: otherSelections } = absent[
      absence
    ] as (typeof absent)[number];
    return otherSelections[number - ownAbsence.shared.length] as LabelSelection;
  });
  const stages = query.places.map(({ label, number, absence }, at): LabelResult => {
    const { matching, acceptedEvents } = places[at] as LabelSelection;
    const [matched, filtered] = [matching.length, acceptedEvents.length];
    if (absence !== undefined) return { label, absent: true, matched, filtered, ordered: filtered };
    return { label, matched, filtered, ordered: (candidates.lists[number] as Matches).size };
  });
  const withoutAbsences = (problem: BindingProblem, isOfMatch: boolean) =>
    absent.reduce(
      (remaining, { absence, selected: selections }) =>
        absence.isOfMatch === isOfMatch
          ? applyAbsence(remaining, {
              absence,
              lists: selections.map(({ list }) => list),
              isRelated: false,
            })
          : remaining,
      problem,
    );
  const testedProblem = withoutAbsences(candidates, false);
  const problem = withoutAbsences(testedProblem, true);
  const matching = places.map((place) => place.matching);
  return {
    problem,
    testedProblem,
    acceptedEvents: selections.map(({ acceptedEvents }) => acceptedEvents),
    stages,
    matching,
  };
}

interface LabelSelection {
  /** The events that match the pattern. */
  readonly matching: Int32Array;
  /** The matching events accepted by the FILTER conjuncts on this label alone. */
  readonly acceptedEvents: Int32Array;
  readonly list: Matches;
}

/**
 * Selects the events of a query's labels.
 *
 * @param first the first label to select
 */
function selectLabels(
  selection: Selection,
  { patterns, filters, circular }: Query,
  first = 0,
): LabelSelection[] {
  const { session } = selection;
  return patterns.slice(first).map((pattern, at) => {
    const patternEvents = selection.matching(pattern);
    const acceptedEvents = (filters[first + at] ?? []).reduce(
      (remaining, test) => selectEvents(session, test, remaining),
      patternEvents.events,
    );
    const events = circular.has(first + at) ? new Int32Array(0) : acceptedEvents;
    const list = events === patternEvents.events ? patternEvents : new Matches(session, events);
    return { matching: patternEvents.events, acceptedEvents, list };
  });
}

/**
 * Applies an absence to a problem. An absence that depends on no label may forbid all bindings. An absence that depends
 * on one label removes events of this label (a semi-join). Any other absence becomes a requirement on bindings.
 */
function applyAbsence(problem: BindingProblem, absent: AbsentLabels): BindingProblem {
  const { query, shared } = absent.absence;
  if (problem.undecided !== undefined || hasNone(problem)) return problem;
  if (hasNone({ query, lists: absent.lists, isForbidden: false })) return problem;
  const [label, otherLabel] = shared;
  if (otherLabel !== undefined) {
    const relations = addToRelations(problem, absent);
    const relatedAbsence = { ...absent, isRelated: relations !== undefined };
    const absences = [...problem.absences, relatedAbsence];
    return { ...problem, absences, relations: relations ?? problem.relations };
  }
  try {
    // Solve a separate problem for the bindings that must not exist.
    const lists = [
      ...shared.map((position) => problem.lists[position] as Matches),
      ...absent.lists,
    ];
    const forbiddenProblem = problemOf(problem, query, lists);
    const { solutions } = solve(forbiddenProblem, {
      wanted: new Set(shared.keys()),
      counts: false,
    });
    if (label === undefined) {
      return { ...problem, isForbidden: solutions.some(({ total }) => total > 0n) };
    }
    const { events } = problem.lists[label] as Matches;
    const remaining = difference(events, findBoundEvents(problem.session, solutions, 0));
    return restrict(problem, new Map([[label, remaining]]));
  } catch (error) {
    if (error instanceof Undecided) return { ...problem, undecided: error };
    throw error;
  }
}

/**
 * Adds an absence to the relations. Returns undefined if relations cannot express the absence, or if its tables would
 * be too large.
 */
function addToRelations(
  { relations, lists }: BindingProblem,
  { absence, lists: [via] }: AbsentLabels,
): Relation[] | undefined {
  const ends = absence.shared.map((label) => lists[label] as Matches);
  const fits = (end: Matches, via: Matches) => canBuildTable(end, via) && canBuildTable(via, end);
  if (via === undefined || !ends.every((end) => fits(end, via))) return undefined;
  return addBetween(relations, absence, via);
}

/** Returns the problem of a query with given events for its labels, without absences. */
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

/** Returns a label's events that are in some binding, ascending. */
export function findBoundEvents(
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
