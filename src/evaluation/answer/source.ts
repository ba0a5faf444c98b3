import type { Expression } from '../../expression/index.js';
import type { TermValue } from '../exact/term-value.js';
import type { LabelResult } from '../methods/match-labels.js';
import type { Limits, Method, Question } from '../methods/problem.js';
import type {
  AggregateTerm,
  AttributeOf,
  Query,
  QueryTerm,
  SessionTimes,
  ShareTerm,
} from '../query/query.js';
import type { ValueCounts } from '../select/value-counts.js';
import type { EventPlace, Evidence, GroupKey, Why } from './result.js';
import type { Awaitable } from './steps.js';

/*
 * The queries that the driver of an evaluation makes of an engine. Without an answer, a method throws `Undecided`
 * or rejects its promise with it. The engine numbers events as it likes.
 */

/** A session in an engine. */
export interface SessionSource {
  times(): Awaitable<SessionTimes>;
  /** Returns the number of events. */
  size(): Awaitable<number>;
  /** Returns the distinct texts of an attribute, in any order, some thousand at most. */
  textsOf(attribute: string): Awaitable<readonly string[]>;
  /** Selects the events of a query's labels and groups, and removes what its absences forbid. */
  match(request: MatchRequest): Awaitable<Matched>;
  describe(
    expression: Expression,
    times: SessionTimes,
    evidence: readonly FoundEvidence[],
  ): Awaitable<Evidence[]>;
  placesOf(events: readonly number[]): Awaitable<ReadonlyMap<number, EventPlace>>;
  /** For the sessions of the baseline, which are always evaluated in this process. */
  readonly limits?: Limits;
}

/** A query, and the questions about its bindings that will follow. */
export interface MatchRequest {
  readonly query: Query;
  /** The session's times, if the query needs them. */
  readonly times: SessionTimes;
  readonly question: Question;
  /** True for a search for evidence, which is skipped if it takes too long. */
  readonly isForEvidence: boolean;
}

/** The bindings of a query, or some of them. */
export interface Bindings {
  counted(): Awaitable<CountedBindings>;
  valuesOf(term: BindingTerm): Awaitable<GroupValues>;
  /**
   * Returns the first bindings that are found soon, at most `limit`.
   *
   * @param only the events of some labels, by their numbers
   */
  evidence(limit: number, only?: ReadonlyMap<number, number>): Awaitable<readonly EventNumbers[]>;
}

/** All bindings of a query. */
export interface Matched extends Bindings {
  /** In the order of MATCH. */
  readonly labels: readonly LabelResult[];
  /** If the query has BY. */
  readonly groups?: MatchedGroups | undefined;
  /** Restricts the bindings to a group, or to those with an event of a label. */
  narrowed(to: Narrowing): Awaitable<Bindings>;
  /** True if the labels can be chosen at all, before NOT removes choices. */
  hasChoice(): Awaitable<boolean>;
  /** Returns the number of choices before NOT. */
  choices(): Awaitable<bigint>;
  /** Returns the first bindings, at most `limit`. */
  bindings(limit: number): Awaitable<readonly EventNumbers[]>;
  /** Counts the values of attributes among the events that the pattern at a position of MATCH matches. */
  valueCounts(
    position: number,
    attributes: readonly AttributeOf[],
  ): Awaitable<readonly ValueCounts[]>;
  /** Returns the first events of a label that are in no binding, at most `limit`. */
  unbound(label: number, limit: number): Awaitable<readonly number[]>;
}

/** The events that a label may have: those of a group of BY, or a single one. */
export type Narrowing =
  | { readonly group: number }
  | { readonly label: string; readonly event: number };

/** The groups of BY. Those without events have equal results, and are represented by the last group. */
export interface MatchedGroups {
  readonly label: number;
  /** The number of groups, counting all those without events as one. */
  readonly size: number;
  /** The number of groups. */
  readonly all: number;
  /** Returns the number of groups that a group represents. */
  weight(group: number): number;
  /** Returns the group's common values, one entry per key; for empty windows, the entries of the first. */
  keys(group: number): Awaitable<GroupKey[]>;
  /** Returns the first event of a group; undefined if it has none. */
  first(group: number): number | undefined;
  /** The number of events in the window that the end of the session cuts short; for windows only. */
  readonly cutOff?: number;
}

/** A term whose value depends on the bindings alone. */
export type BindingTerm = AggregateTerm | ShareTerm | Extract<QueryTerm, { kind: 'count' }>;

/** The values of a term, one for each group; without groups, a single one. */
export interface GroupValues {
  readonly values: readonly TermValue[];
  /** For `max` and `min` without groups: the first events that have the value, by their labels' numbers. */
  readonly events?: ReadonlyMap<number, number> | undefined;
}

export interface CountedBindings {
  readonly isAny: boolean;
  /** Undefined if there are some, but their number was not requested. */
  readonly number?: bigint | undefined;
  readonly method: Method;
}

/** The number of each label's event. */
export type EventNumbers = ReadonlyMap<string, number>;

/** A binding, or part of one, that explains a result. */
export interface FoundEvidence {
  readonly why: Why;
  readonly of?: string;
  readonly events: EventNumbers;
}
