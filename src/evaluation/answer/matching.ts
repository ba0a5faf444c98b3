import type { Session } from '../../session/index.js';
import { relationsOf } from '../join/relation.js';
import type { Limits, Problem } from '../methods/problem.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, Test } from '../query/query.js';
import { type Candidates, eventsOf } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import type { LabelResult } from './result.js';

/** The events of each label, stage by stage. */
export interface Matching {
  readonly problem: Problem;
  readonly labels: readonly LabelResult[];
}

/** Selects the events of each label and reduces them along the arrows. */
export function matchLabels(session: Session, query: Query, limits: Limits): Matching {
  const all = { from: 0, to: session.size };
  const select = (tests: readonly Test[], from: Candidates) =>
    eventsOf(tests.reduce((left, test) => selectEvents(session, test, left), from));
  const matched = query.patterns.map((pattern) => select([pattern], all));
  const filtered = matched.map((events, label) => select(query.filters[label] ?? [], events));
  const lists = filtered.map((events, label) => {
    return new Matches(session, query.circular.has(label) ? new Int32Array(0) : events);
  });
  const ordered = reduce(session, lists, query.arrows);
  const labels = query.labels.map((label, number) => ({
    label,
    matched: (matched[number] as Int32Array).length,
    filtered: (filtered[number] as Int32Array).length,
    ordered: (ordered[number] as Matches).size,
  }));
  return {
    problem: { session, query, relations: relationsOf(query), lists: ordered, limits },
    labels,
  };
}

/** The problem with fewer events for some labels. */
export function restrict(problem: Problem, events: ReadonlyMap<number, Int32Array>): Problem {
  const { session, query } = problem;
  const lists = problem.lists.map((list, label) => {
    const some = events.get(label);
    return some === undefined || some.length === list.size ? list : new Matches(session, some);
  });
  const isSame = lists.every((list, label) => list === problem.lists[label]);
  return isSame ? problem : { ...problem, lists: reduce(session, lists, query.arrows) };
}
