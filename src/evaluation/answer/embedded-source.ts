import type { Session } from '../../session/index.js';
import { memoize } from '../exact/undecided.js';
import { matchLabels } from '../methods/match-labels.js';
import { solve } from '../methods/plan.js';
import { type BindingProblem, type Limits, type Question, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { Selection } from '../order/selection.js';
import { sidesOf } from '../query/build-terms.js';
import { difference } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import { originalOf } from '../select/regrouped.js';
import { collectTexts, countValues } from '../select/value-counts.js';
import { describe } from './evidence.js';
import { type Grouping, makeGroups } from './groups.js';
import {
  eventPlace,
  eventsInBindings,
  evidenceLimits,
  findBindings,
  findSomeBindings,
} from './listing.js';
import type { Bindings, MatchedBindings, MatchRequest, SessionSource } from './source.js';
import { totalCount } from './tally.js';
import { makeQuestion, Terms } from './terms.js';

const NO_QUESTION = { wanted: new Set<number>(), counts: false };

/** Returns a session source for this process's engine, which answers synchronously. */
export function embeddedSource(
  session: Session,
  limits: Limits,
  selection = new Selection(session),
): SessionSource {
  return {
    limits,
    times: () => timesOf(session),
    size: () => originalOf(session).size,
    textsOf: (attribute) => collectTexts(originalOf(session), attribute),
    match: (request) => matchIn(selection, request, limits),
    describe: (expression, _, evidence) => {
      const place = (event: number) => eventPlace(session, event);
      return describe(
        { session, times: () => timesOf(session), placeOf: place },
        expression,
        evidence,
      );
    },
    placesOf: (events) => new Map(events.map((event) => [event, eventPlace(session, event)])),
  };
}

/** Matches a query against a session in this process. */
export function matchIn(
  selection: Selection,
  { query, question, isForEvidence }: MatchRequest,
  limits: Limits,
): MatchedBindings {
  const searchLimits = isForEvidence ? evidenceLimits(limits) : limits;
  const listingLimits = evidenceLimits(searchLimits);
  const { session } = selection;
  const { problem, testedProblem, acceptedEvents, stages, matching } = matchLabels(
    selection,
    query,
    searchLimits,
  );
  const groups = query.by && makeGroups(session, query.by, acceptedEvents);
  const makeBindings = (
    subproblem: BindingProblem,
    question: Question,
    grouping?: Grouping,
  ): Bindings => {
    const terms = new Terms(subproblem, question, selection, grouping);
    return {
      counted() {
        const solved = terms.solved();
        const total = totalCount(solved);
        const isAny = total > 0n;
        const number = question.counts || !isAny ? total : undefined;
        return { isAny, number, method: solved.method };
      },
      valuesOf: (term) => terms.valuesOf(term),
      evidence(limit, fixedEvents = new Map()) {
        const events = [...fixedEvents].map(
          ([label, event]) => [label, Int32Array.of(event)] as const,
        );
        return findSomeBindings(restrict(subproblem, new Map(events)), limit, listingLimits.budget);
      },
    };
  };
  const bound = memoize(() => eventsInBindings({ ...problem, limits: listingLimits }));
  return {
    ...makeBindings(problem, question, groups),
    labels: stages,
    groups,
    narrowed(to) {
      const label = 'label' in to ? query.labels.indexOf(to.label) : (groups as Grouping).label;
      // Absences may have removed some of the group's events.
      const { events } = problem.lists[label] as Matches;
      const isSelected = (event: number) =>
        'label' in to ? event === to.event : (groups as Grouping).groupOf[event] === to.group;
      const subproblem = restrict(problem, new Map([[label, events.filter(isSelected)]]));
      return makeBindings(subproblem, makeQuestion(sidesOf(query)));
    },
    hasChoice: () => totalCount(solve(testedProblem, NO_QUESTION)) > 0n,
    choices: () =>
      totalCount(
        solve({ ...testedProblem, limits: listingLimits }, { ...NO_QUESTION, counts: true }),
      ),
    bindings: (limit) => findBindings(problem, limit, searchLimits.budget),
    valueCounts: (position, attributes) =>
      attributes.map((attribute) =>
        countValues(session, attribute, matching[position] as Int32Array),
      ),
    unbound: (label, limit) => [
      ...difference(acceptedEvents[label] as Int32Array, bound().get(label) as Int32Array).subarray(
        0,
        limit,
      ),
    ],
  };
}
