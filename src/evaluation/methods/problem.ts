import type { Session } from '../../session/index.js';
import type { Counted, EventCounts } from '../join/count-trees.js';
import { type Relation, relationsOf } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, Test } from '../query/query.js';
import { allEvents } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';

/** How the bindings may be found. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** How many steps may be taken unless an option says so. */
export const BUDGET = 100e6;

/** What bounds the work. */
export interface Limits {
  /** How many steps may be taken where bindings must be tried one after the other. */
  readonly budget: number;
  readonly onProgress?: OnProgress | undefined;
}

/** Called during a long search with how much is done: steps of the budget, or events. */
export type OnProgress = (done: number, total: number) => void;

/** The events of each label, and what a binding of them must satisfy besides. */
export interface BindingProblem {
  readonly session: Session;
  readonly query: Query;
  readonly relations: readonly Relation[];
  /** After the patterns, the filters of single labels, and the reducer along the arrows. */
  readonly lists: readonly Matches[];
  /** For each label how many events its pattern matches, and how many its own filters leave. */
  readonly matched: readonly number[];
  readonly filtered: readonly number[];
  /** For each label the events that its pattern and its own filters leave. */
  readonly candidates: readonly Int32Array[];
  readonly limits: Limits;
  readonly plan: readonly PlanStep[];
}

/** One way to find bindings. */
export interface PlanStep {
  readonly method: Method;
  /** The bindings, or undefined where the way does not apply. */
  readonly find: (problem: BindingProblem, question: Question) => readonly Solution[] | undefined;
}

/** What is asked of the bindings. */
export interface Question {
  /** The labels of whose events the counts, or at least the existence, are asked for. */
  readonly wanted: ReadonlySet<number>;
  /** Whether numbers matter; else only which events take part in a binding, if any. */
  readonly counts: boolean;
}

/** Some of the bindings: those of one case. Cases have none in common. */
export interface Solution {
  /** 1 for any, where numbers do not matter. */
  readonly total: bigint;
  readonly lists: readonly Matches[];
  /** For each label that was wanted, how many bindings contain each event. */
  readonly of: ReadonlyMap<number, EventCounts>;
}

/** All bindings. */
export interface Solved {
  readonly method: Method;
  readonly solutions: readonly Solution[];
}

/** Why there is no answer: never a wrong one. */
export class Undecided extends Error {
  constructor(
    /** The part of the expression that forces bindings to be tried one by one. */
    readonly clause: string,
    /** What happened. */
    message: string,
    /** What would help. */
    readonly help: string,
  ) {
    super(message);
  }
}

/** Whether there is no binding, as is known before any search. */
export function hasNone({ query, lists }: BindingProblem): boolean {
  return query.neverHolds || query.circular.size > 0 || lists.some(({ size }) => size === 0);
}

/** @throws {Undecided} when the number of bindings is beyond all counting */
export function orTooMany(counted: Counted | undefined): Counted {
  if (counted !== undefined) return counted;
  throw new Undecided(
    'MATCH',
    'the number of bindings has more than a thousand bits',
    'bind fewer labels in one expression',
  );
}

/** That there are none. */
export const NOTHING: Solution = { total: 0n, lists: [], of: new Map() };

/** Selects the events of each label and reduces them along the arrows. */
export function matchLabels(
  session: Session,
  query: Query,
  limits: Limits,
  plan: readonly PlanStep[],
): BindingProblem {
  const all = allEvents(session);
  const select = (tests: readonly Test[], from: Int32Array) =>
    tests.reduce((left, test) => selectEvents(session, test, left), from);
  const matched = query.patterns.map((pattern) => select([pattern], all));
  const filtered = matched.map((events, label) => select(query.filters[label] ?? [], events));
  const lists = filtered.map((events, label) => {
    return new Matches(session, query.circular.has(label) ? new Int32Array(0) : events);
  });
  return {
    session,
    query,
    relations: relationsOf(query),
    lists: reduce(session, lists, query.arrows),
    matched: matched.map(({ length }) => length),
    filtered: filtered.map(({ length }) => length),
    candidates: filtered,
    limits,
    plan,
  };
}

/** The problem with fewer events for some labels. */
export function restrict(
  problem: BindingProblem,
  events: ReadonlyMap<number, Int32Array>,
): BindingProblem {
  const { session, query } = problem;
  const lists = problem.lists.map((list, label) => {
    const some = events.get(label);
    return some === undefined || some.length === list.size ? list : new Matches(session, some);
  });
  const isSame = lists.every((list, label) => list === problem.lists[label]);
  return isSame ? problem : { ...problem, lists: reduce(session, lists, query.arrows) };
}
