import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import type { Counted, EventCounts } from '../join/count-trees.js';
import type { Relation } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, QueryAbsence } from '../query/query.js';

/** How the bindings may be found. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** How many steps may be taken, unless an option says otherwise. */
export const BUDGET = 100e6;

/** A pass over arrays takes about an eighth of the time of as many steps of enumeration. */
export const ENTRIES_PER_STEP = 8;

/** How the work is done, and what bounds it. */
export interface Limits {
  /** How many steps may be taken where bindings must be tried one by one. */
  readonly budget: number;
  readonly plan: readonly PlanStep[];
  readonly onProgress?: OnProgress | undefined;
}

/** Called during a long search with what has been done so far: steps of the budget, or events. */
export type OnProgress = (done: number, total: number) => void;

/** The events of each label, and what else a binding of them must satisfy. */
export interface BindingProblem {
  readonly session: Session;
  readonly query: Query;
  readonly relations: readonly Relation[];
  /** What the patterns, the filters of single labels, and the reducer along the arrows leave. */
  readonly lists: readonly Matches[];
  /** Other labels, whose events must not exist alongside those of a binding. */
  readonly absences: readonly AbsentLabels[];
  /** Why it is not known which events absences leave; then nothing else is known either. */
  readonly undecided?: Undecided;
  /** Whether there is something whose required absence does not depend on any label. */
  readonly isForbidden: boolean;
  readonly limits: Limits;
}

/** Labels that are absent together, alongside the events of at least two labels. */
export interface AbsentLabels {
  readonly absence: QueryAbsence;
  /** The events of its own labels, which come after the shared ones in its query. */
  readonly lists: readonly Matches[];
  /** Whether the relation between its two shared labels expresses it too. */
  readonly isRelated: boolean;
}

/** One way to find bindings. */
export interface PlanStep {
  readonly method: Method;
  /** The bindings, or undefined if the method does not apply. */
  readonly find: (problem: BindingProblem, question: Question) => readonly Solution[] | undefined;
}

/** What is asked about the bindings. */
export interface Question {
  /** The labels of whose events the numbers of bindings, or at least whether there are any, are wanted. */
  readonly wanted: ReadonlySet<number>;
  /** Whether numbers matter; if not, only which events take part in a binding, if any. */
  readonly counts: boolean;
}

/** Some of the bindings: those of one case. Cases have none in common. */
export interface Solution {
  /** 1 stands for any number, if numbers do not matter. */
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
 * Whether it is known before any search that there is no binding.
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

/** @throws {Undecided} when there are too many bindings to count */
export function orTooMany(counted: Counted | undefined): Counted {
  if (counted !== undefined) return counted;
  throw new Undecided(
    'MATCH',
    'the number of bindings has more than a thousand bits',
    'bind fewer labels in one expression',
  );
}

/** A case without bindings. */
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
