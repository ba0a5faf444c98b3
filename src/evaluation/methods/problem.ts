import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import type { Counted, EventCounts } from '../join/count-trees.js';
import type { Relation } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, QueryAbsence } from '../query/query.js';

/** How the bindings may be found. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** How many steps may be taken unless an option says so. */
export const BUDGET = 100e6;

/** A pass over arrays takes about an eighth of the time of as many steps of enumeration. */
export const ENTRIES_PER_STEP = 8;

/** How the work is done, and what bounds it. */
export interface Limits {
  /** How many steps may be taken where bindings must be tried one after the other. */
  readonly budget: number;
  readonly plan: readonly PlanStep[];
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
  /** What of other labels there must not be beside the events of a binding. */
  readonly absences: readonly AbsentLabels[];
  /** Why it is not known which events absences leave; then nothing else is. */
  readonly undecided?: Undecided;
  /** Whether something is there whose absence does not hang on any label. */
  readonly isForbidden: boolean;
  readonly limits: Limits;
}

/** Labels that are absent together, beside the events of at least two labels. */
export interface AbsentLabels {
  readonly absence: QueryAbsence;
  /** The events of the labels of its own, which come after the shared ones in its query. */
  readonly lists: readonly Matches[];
  /** Whether the relation of the two labels that it is between says it too. */
  readonly isRelated: boolean;
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

/**
 * Whether there is no binding, as is known before any search.
 *
 * @throws {Undecided} when it is not known which events absences leave
 */
export function hasNone({
  query,
  lists,
  isForbidden,
  undecided,
}: Pick<BindingProblem, 'query' | 'lists' | 'isForbidden' | 'undecided'>): boolean {
  if (query.neverHolds || query.circular.size > 0 || isForbidden) return true;
  if (lists.some(({ size }) => size === 0)) return true;
  if (undecided !== undefined) throw undecided;
  return false;
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

/** The problem with fewer events for some labels. */
export function restrict(
  problem: BindingProblem,
  events: ReadonlyMap<number, Int32Array>,
): BindingProblem {
  const { session, query } = problem;
  const lists = problem.lists.map((list, label) => {
    const some = events.get(label);
    const isAll =
      some?.length === list.size && some.every((event, at) => event === list.events[at]);
    return some === undefined || isAll ? list : new Matches(session, some);
  });
  const isSame = lists.every((list, label) => list === problem.lists[label]);
  return isSame ? problem : { ...problem, lists: reduce(session, lists, query.arrows) };
}
