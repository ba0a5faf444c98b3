import type { Session } from '../../session/index.js';
import { once } from '../exact/undecided.js';
import { matchLabels } from '../methods/match-labels.js';
import { solve } from '../methods/plan.js';
import { type BindingProblem, type Limits, type Question, restrict } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { Selection } from '../order/selection.js';
import { sidesOf } from '../query/build-terms.js';
import { difference } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import { originalOf } from '../select/regrouped.js';
import { attributeTexts, valueCountsOf } from '../select/value-counts.js';
import { describe } from './evidence.js';
import { type Grouping, groupsOf } from './groups.js';
import {
  eventsInBindings,
  evidenceLimits,
  findBindings,
  findBindingsSoon,
  placeOf,
} from './listing.js';
import type { Bindings, Matched, MatchRequest, SessionSource } from './source.js';
import { totalOf } from './tally.js';
import { questionOf, Terms } from './terms.js';

const NO_QUESTION = { wanted: new Set<number>(), counts: false };

/** A session in the engine of this process, which answers synchronously. */
export function embeddedSource(
  session: Session,
  limits: Limits,
  selection = new Selection(session),
): SessionSource {
  return {
    limits,
    times: () => timesOf(session),
    size: () => originalOf(session).size,
    textsOf: (attribute) => attributeTexts(originalOf(session), attribute),
    match: (request) => matchIn(selection, request, limits),
    describe: (expression, _, evidence) => {
      const place = (event: number) => placeOf(session, event);
      return describe(
        { session, times: () => timesOf(session), placeOf: place },
        expression,
        evidence,
      );
    },
    placesOf: (events) => new Map(events.map((event) => [event, placeOf(session, event)])),
  };
}

/** Matches a query against a session in the engine of this process. */
export function matchIn(
  selection: Selection,
  { query, question, isForEvidence }: MatchRequest,
  limits: Limits,
): Matched {
  const within = isForEvidence ? evidenceLimits(limits) : limits;
  const soon = evidenceLimits(within);
  const { session } = selection;
  const { problem, tested, accepted, stages, matching } = matchLabels(selection, query, within);
  const groups = query.by && groupsOf(session, query.by, accepted);
  const bindingsIn = (some: BindingProblem, question: Question, grouping?: Grouping): Bindings => {
    const terms = new Terms(some, question, selection, grouping);
    return {
      counted() {
        const solved = terms.solved();
        const total = totalOf(solved);
        const isAny = total > 0n;
        const number = question.counts || !isAny ? total : undefined;
        return { isAny, number, method: solved.method };
      },
      valuesOf: (term) => terms.valuesOf(term),
      evidence(limit, only = new Map()) {
        const events = [...only].map(([label, event]) => [label, Int32Array.of(event)] as const);
        return findBindingsSoon(restrict(some, new Map(events)), limit, soon.budget);
      },
    };
  };
  const bound = once(() => eventsInBindings({ ...problem, limits: soon }));
  return {
    ...bindingsIn(problem, question, groups),
    labels: stages,
    groups,
    narrowed(to) {
      const label = 'label' in to ? query.labels.indexOf(to.label) : (groups as Grouping).label;
      // Absences may have removed some of the group's events.
      const { events } = problem.lists[label] as Matches;
      const isIn = (event: number) =>
        'label' in to ? event === to.event : (groups as Grouping).groupOf[event] === to.group;
      const some = restrict(problem, new Map([[label, events.filter(isIn)]]));
      return bindingsIn(some, questionOf(sidesOf(query)));
    },
    hasChoice: () => totalOf(solve(tested, NO_QUESTION)) > 0n,
    choices: () => totalOf(solve({ ...tested, limits: soon }, { ...NO_QUESTION, counts: true })),
    bindings: (limit) => findBindings(problem, limit, within.budget),
    valueCounts: (position, attributes) =>
      attributes.map((attribute) =>
        valueCountsOf(session, attribute, matching[position] as Int32Array),
      ),
    unbound: (label, limit) => [
      ...difference(accepted[label] as Int32Array, bound().get(label) as Int32Array).subarray(
        0,
        limit,
      ),
    ],
  };
}
