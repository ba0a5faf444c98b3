import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import type { BindingCountAt, TreeTotals } from '../join/count-trees.js';
import type { Relation } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, QueryAbsence } from '../query/query.js';

/** The name of a method for finding bindings. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** Default budget, in steps. */
export const BUDGET = 100e6;

/** Approximate number of array entries that a pass visits in the time of one step of enumeration. */
export const ENTRIES_PER_STEP = 8;

/** The methods and limits for finding bindings. */
export interface Limits {
  /** Maximum number of steps if bindings must be tried one by one. */
  readonly budget: number;
  readonly plan: readonly PlanStep[];
  readonly onProgress?: ProgressCallback | undefined;
}

/** A callback for progress during a long search, in steps of the budget or events. */
export type ProgressCallback = (done: number, total: number) => void;

/** A search for a query's bindings among candidate events of each label. */
export interface BindingProblem {
  readonly session: Session;
  readonly query: Query;
  readonly relations: readonly Relation[];
  /**
   * The candidate events of each label after its pattern, the filters on this label alone, and the reduction along the
   * arrows.
   */
  readonly lists: readonly Matches[];
  /** The absences that depend on at least two labels. */
  readonly absences: readonly AbsentLabels[];
  /** The reason if an absence could not be decided. The whole problem is then undecided. */
  readonly undecided?: Undecided;
  /** True if an absence that depends on no label is violated, so there are no bindings. */
  readonly isForbidden: boolean;
  readonly limits: Limits;
}

/** Labels that must be absent together, with their events. */
export interface AbsentLabels {
  readonly absence: QueryAbsence;
  /** The events of the absent labels, which follow the shared labels in the absence's query. */
  readonly lists: readonly Matches[];
  /** True if the relation between the two shared labels also expresses the absence. */
  readonly isRelated: boolean;
}

/** A step of the plan: a method, with the function that applies it. */
export interface PlanStep {
  readonly method: Method;
  /** Finds the bindings. Returns undefined if the method does not apply. */
  readonly find: (problem: BindingProblem, question: Question) => readonly Solution[] | undefined;
}

/** The results wanted from a search for bindings. */
export interface Question {
  /** The labels whose events need a number of bindings or, if `counts` is false, only the existence of a binding. */
  readonly wanted: ReadonlySet<number>;
  /** True to count bindings, false to find only which events are in a binding. */
  readonly counts: boolean;
}

/** The bindings of one case. Cases are disjoint. */
export interface Solution {
  /** The number of bindings. Unless counts are wanted, 1 means at least one. */
  readonly total: bigint;
  readonly lists: readonly Matches[];
  /** For each wanted label, the number of bindings that contain each event. */
  readonly of: ReadonlyMap<number, BindingCountAt>;
}

/** All bindings, as disjoint solutions, and the method that found them. */
export interface SolvedProblem {
  readonly method: Method;
  readonly solutions: readonly Solution[];
}

/**
 * True if a problem evidently has no bindings, without a search.
 *
 * @throws {Undecided} if an absence could not be decided
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

/**
 * Returns the counts if bindings could be counted.
 *
 * @throws {Undecided} if there are too many bindings to count
 */
export function requireCounts(counts: TreeTotals | undefined): TreeTotals {
  if (counts !== undefined) return counts;
  throw new Undecided(
    'MATCH',
    'there are too many bindings to count (over 2^1000)',
    'bind fewer labels in one expression',
  );
}

/** The solution for a case without bindings. */
export const NO_SOLUTION: Solution = { total: 0n, lists: [], of: new Map() };

/** Restricts some labels of a problem to fewer events. */
export function restrict(
  problem: BindingProblem,
  events: ReadonlyMap<number, Int32Array>,
): BindingProblem {
  const { session, query } = problem;
  const lists = problem.lists.map((list, label) => {
    const labelEvents = events.get(label);
    const isAll =
      labelEvents?.length === list.size &&
      labelEvents.every((event, at) => event === list.events[at]);
    return labelEvents === undefined || isAll ? list : new Matches(session, labelEvents);
  });
  const isSame = lists.every((list, label) => list === problem.lists[label]);
  return isSame ? problem : { ...problem, lists: reduce(session, lists, query.arrows) };
}
