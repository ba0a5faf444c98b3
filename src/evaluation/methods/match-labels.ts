import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import { type Relation, relationsOf, withBetween } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { RankTable } from '../order/rank-table.js';
import { reduce } from '../order/reduce.js';
import type { Query, QueryAbsence, Test } from '../query/query.js';
import { allEvents, difference } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { solve } from './plan.js';
import {
  type AbsentLabels,
  type BindingProblem,
  hasNone,
  type Limits,
  type PlanStep,
  restrict,
  type Solution,
} from './problem.js';

/** A problem, and how it came to be. */
export interface MatchedLabels {
  readonly problem: BindingProblem;
  /** The problem but for the absent labels: whose bindings these are tested on. */
  readonly tested: BindingProblem;
  /** For each bound label the events that its pattern and its own conjuncts of FILTER leave. */
  readonly own: readonly Int32Array[];
  /** For each label of MATCH, in its order. */
  readonly stages: readonly LabelStages[];
}

/** How many events of a label are left. */
export interface LabelStages {
  readonly label: string;
  /** Under NOT. */
  readonly absent?: true;
  /** By its pattern. */
  readonly matched: number;
  /** By its own conjuncts of FILTER besides. */
  readonly filtered: number;
  /** By the arrows between bound labels besides. */
  readonly ordered: number;
}

/**
 * Selects the events of each label, reduces them along the arrows, and leaves out those beside which
 * there is what must not be.
 */
export function matchLabels(
  session: Session,
  query: Query,
  limits: Limits,
  plan: readonly PlanStep[],
): MatchedLabels {
  const selection = new Selection(session);
  const selected = selection.of(query);
  const candidates: BindingProblem = {
    session,
    query,
    relations: relationsOf(query),
    lists: reduce(
      session,
      selected.map(({ list }) => list),
      query.arrows,
    ),
    absences: [],
    isForbidden: false,
    limits,
    plan,
  };
  const absent = query.absences.map((absence) => ({
    absence,
    selected: selection.of(absence.query, absence.shared.length),
  }));
  const stages = query.places.map(({ label, number, absence }) => {
    const of =
      absence === undefined
        ? selected[number]
        : absent[absence]?.selected[
            number - (query.absences[absence] as QueryAbsence).shared.length
          ];
    const { matched, filtered } = of as Selected;
    const ordered = absence === undefined ? candidates.lists[number]?.size : filtered;
    const isAbsent = absence !== undefined;
    return {
      ...{ label, ...(isAbsent && { absent: true as const }) },
      ...{ matched, filtered, ordered: ordered as number },
    };
  });
  const without = (problem: BindingProblem, isOfMatch: boolean) =>
    absent.reduce(
      (left, { absence, selected }, at) =>
        query.places.some((place) => place.absence === at) === isOfMatch
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
  return { problem, tested, own: selected.map(({ own }) => own), stages };
}

interface Selected {
  readonly own: Int32Array;
  readonly list: Matches;
  readonly matched: number;
  readonly filtered: number;
}

/** The events of labels; those of a pattern are selected once. */
class Selection {
  readonly #session: Session;
  readonly #known = new Map<Test, Int32Array>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param first from which label on */
  of({ patterns, filters, circular }: Query, first = 0): Selected[] {
    return patterns.slice(first).map((pattern, at) => {
      const matched = this.#matching(pattern);
      const filtered = (filters[first + at] ?? []).reduce(
        (left, test) => selectEvents(this.#session, test, left),
        matched,
      );
      const events = circular.has(first + at) ? new Int32Array(0) : filtered;
      const list = new Matches(this.#session, events);
      return { own: filtered, list, matched: matched.length, filtered: filtered.length };
    });
  }

  #matching(pattern: Test): Int32Array {
    const known =
      this.#known.get(pattern) ?? selectEvents(this.#session, pattern, allEvents(this.#session));
    this.#known.set(pattern, known);
    return known;
  }
}

/**
 * A problem without what one absence forbids: all of it, where it hangs on no label; the events of a
 * label (a semi-join), where it hangs on that alone; or as a requirement of its bindings.
 */
function withoutAbsent(problem: BindingProblem, absent: AbsentLabels): BindingProblem {
  const { query, shared } = absent.absence;
  if (problem.undecided !== undefined || hasNone(problem)) return problem;
  if (hasNone({ query, lists: absent.lists, isForbidden: false })) return problem;
  const [label, other] = shared;
  if (other !== undefined) {
    const relations = relationsWith(problem, absent);
    const own = { ...absent, isRelated: relations !== undefined };
    const absences = [...problem.absences, own];
    return { ...problem, absences, relations: relations ?? problem.relations };
  }
  try {
    const { solutions } = solve(problemOf(problem, absent), {
      wanted: new Set(shared.keys()),
      counts: false,
    });
    if (label === undefined) {
      return { ...problem, isForbidden: solutions.some(({ total }) => total > 0n) };
    }
    const { events } = problem.lists[label] as Matches;
    const forbidden = boundEvents(problem.session, solutions, 0);
    return restrict(problem, new Map([[label, difference(events, forbidden)]]));
  } catch (error) {
    if (error instanceof Undecided) return { ...problem, undecided: error };
    throw error;
  }
}

/** Undefined where relations do not say it, or the tables for it would be too large. */
function relationsWith(
  { relations, lists }: BindingProblem,
  { absence, lists: [via] }: AbsentLabels,
): Relation[] | undefined {
  const ends = absence.shared.map((label) => lists[label] as Matches);
  const fits = (end: Matches, via: Matches) => RankTable.fits(end, via) && RankTable.fits(via, end);
  if (via === undefined || !ends.every((end) => fits(end, via))) return undefined;
  return withBetween(relations, absence, via);
}

/** The bindings that there must not be, as a problem of their own. */
function problemOf(
  { session, lists, limits, plan }: BindingProblem,
  { absence, lists: own }: AbsentLabels,
): BindingProblem {
  const { query, shared } = absence;
  const all = [...shared.map((label) => lists[label] as Matches), ...own];
  return {
    session,
    query,
    relations: relationsOf(query),
    lists: reduce(session, all, query.arrows),
    absences: [],
    isForbidden: false,
    limits,
    plan,
  };
}

/** The events of a label that are in some binding, ascending. */
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
    (lists[label] as Matches).events.forEach((event, place) => {
      if (counts(place) <= 0 || isBound[event] === 1) return;
      isBound[event] = 1;
      size++;
    });
  }
  const events = new Int32Array(size);
  for (let event = 0, place = 0; place < size; event++) {
    if (isBound[event] === 1) events[place++] = event;
  }
  return events;
}
