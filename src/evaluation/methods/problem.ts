import type { Session } from '../../session/index.js';
import { Undecided } from '../exact/undecided.js';
import type { EventCounts, TreeTotals } from '../join/count-trees.js';
import type { Relation } from '../join/relation.js';
import { Matches } from '../order/matches.js';
import { reduce } from '../order/reduce.js';
import type { Query, QueryAbsence } from '../query/query.js';

/** The method that finds the bindings. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** Default maximum number of steps. */
export const BUDGET = 100e6;

/** Number of array entries that a pass covers in about the time of one step of enumeration. */
export const ENTRIES_PER_STEP = 8;

/** The methods and limits of the work. */
export interface Limits {
  /** Maximum number of steps where bindings must be tried one by one. */
  readonly budget: number;
  readonly plan: readonly PlanStep[];
  readonly onProgress?: OnProgress | undefined;
}

/** Called during a long search with the progress so far, in steps of the budget or events. */
export type OnProgress = (done: number, total: number) => void;

/** The events of each label, and the further requirements on a binding of them. */
export interface BindingProblem {
  readonly session: Session;
  readonly query: Query;
  readonly relations: readonly Relation[];
  /** The events that remain after the patterns, the filters of single labels, and the reducer along the arrows. */
  readonly lists: readonly Matches[];
  /** Other labels, whose events must not exist alongside those of a binding. */
  readonly absences: readonly AbsentLabels[];
  /** The reason if it is unknown which events absences leave; then nothing else is known either. */
  readonly undecided?: Undecided;
  /** True if something exists whose required absence does not depend on any label. */
  readonly isForbidden: boolean;
  readonly limits: Limits;
}

/** Labels that are absent together, alongside the events of at least two labels. */
export interface AbsentLabels {
  readonly absence: QueryAbsence;
  /** The events of its own labels, which come after the shared ones in its query. */
  readonly lists: readonly Matches[];
  /** True if the relation between its two shared labels expresses it too. */
  readonly isRelated: boolean;
}

/** A method for finding bindings. */
export interface PlanStep {
  readonly method: Method;
  /** Returns the bindings, or undefined if the method does not apply. */
  readonly find: (problem: BindingProblem, question: Question) => readonly Solution[] | undefined;
}

/** A question about the bindings. */
export interface Question {
  /** The labels for whose events the number of bindings, or at least their existence, is wanted. */
  readonly wanted: ReadonlySet<number>;
  /** True if numbers are wanted; if not, only which events are in a binding, if any. */
  readonly counts: boolean;
}

/** Some of the bindings: those of one case. Cases are disjoint. */
export interface Solution {
  /** 1 stands for any number, if numbers are not wanted. */
  readonly total: bigint;
  readonly lists: readonly Matches[];
  /** For each wanted label, the number of bindings that contain each event. */
  readonly of: ReadonlyMap<number, EventCounts>;
}

/** All bindings. */
export interface Solved {
  readonly method: Method;
  readonly solutions: readonly Solution[];
}

/**
 * True if the absence of bindings is known before any search.
 *
 * @throws {Undecided} if it is unknown which events absences leave
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

/** @throws {Undecided} if there are too many bindings to count */
export function requireCounts(counts: TreeTotals | undefined): TreeTotals {
  if (counts !== undefined) return counts;
  throw new Undecided(
    'MATCH',
    'the number of bindings has more than a thousand bits',
    'bind fewer labels in one expression',
  );
}

/** A case without bindings. */
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
