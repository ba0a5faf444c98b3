import type { Expression } from '../../expression/index.js';
import type { TermValue } from '../exact/term-value.js';
import type { LabelResult } from '../methods/match-labels.js';
import type { Limits, Method, Question } from '../methods/problem.js';
import type {
  AggregateTerm,
  LabelAttribute,
  Query,
  QueryTerm,
  SessionTimes,
  ShareTerm,
} from '../query/query.js';
import type { ValueCounts } from '../select/value-counts.js';
import type { EventPlace, Evidence, EvidenceRole, GroupKey } from './result.js';
import type { Awaitable } from './steps.js';

/*
 * The driver's requests to an engine. A method without an answer throws `Undecided` or rejects its promise with
 * `Undecided`. Each engine numbers events in its own way.
 */

/** A session in an engine. */
export interface SessionSource {
  times(): Awaitable<SessionTimes>;
  /** Returns the number of events. */
  size(): Awaitable<number>;
  /** Returns an attribute's distinct texts, in any order, limited to a few thousand. */
  textsOf(attribute: string): Awaitable<readonly string[]>;
  /** Selects the events of a query's labels and groups, and applies the query's absences. */
  match(request: MatchRequest): Awaitable<MatchedBindings>;
  describe(
    expression: Expression,
    times: SessionTimes,
    evidence: readonly FoundEvidence[],
  ): Awaitable<Evidence[]>;
  placesOf(events: readonly number[]): Awaitable<ReadonlyMap<number, EventPlace>>;
  /** Limits for the baseline sessions, which this process always evaluates itself. */
  readonly limits?: Limits;
}

/** A query, and the question to answer about its bindings. */
export interface MatchRequest {
  readonly query: Query;
  /** The session's times, if the query needs them. */
  readonly times: SessionTimes;
  readonly question: Question;
  /** True for an evidence search, which is skipped if it takes too long. */
  readonly isForEvidence: boolean;
}

/** All or some bindings of a query. */
export interface Bindings {
  counted(): Awaitable<CountedBindings>;
  valuesOf(term: BindingTerm): Awaitable<GroupValues>;
  /**
   * Returns the first bindings found within the limits of an evidence search, up to `limit`.
   *
   * @param only fixed events, by label
   */
  evidence(limit: number, only?: ReadonlyMap<number, number>): Awaitable<readonly EventNumbers[]>;
}

/** All bindings of a query. */
export interface MatchedBindings extends Bindings {
  /** The labels' results, in the order of MATCH. */
  readonly labels: readonly LabelResult[];
  /** The groups of BY, if any. */
  readonly groups?: MatchedGroups | undefined;
  /** Restricts the bindings to a group, or to one event of a label. */
  narrowed(to: Narrowing): Awaitable<Bindings>;
  /** Returns true if any binding exists before NOT is applied. */
  hasChoice(): Awaitable<boolean>;
  /** Returns the number of bindings before NOT is applied. */
  choices(): Awaitable<bigint>;
  /** Returns the first bindings, up to `limit`. */
  bindings(limit: number): Awaitable<readonly EventNumbers[]>;
  /** Counts the attributes' values in the events that match the pattern at a position in MATCH. */
  valueCounts(
    position: number,
    attributes: readonly LabelAttribute[],
  ): Awaitable<readonly ValueCounts[]>;
  /** Returns a label's first unbound events, up to `limit`. */
  unbound(label: number, limit: number): Awaitable<readonly number[]>;
}

/** A restriction of a label's events: to a group of BY, or to a single event. */
export type Narrowing =
  | { readonly group: number }
  | { readonly label: string; readonly event: number };

/** The groups of BY. The last group represents all groups without events, because their results are equal. */
export interface MatchedGroups {
  readonly label: number;
  /** The number of groups, with all groups without events counted as one. */
  readonly size: number;
  /** The total number of groups. */
  readonly all: number;
  /** Returns the number of groups that a group represents. */
  weight(group: number): number;
  /** Returns a group's common values, one per key; for empty windows, the values of the first empty window. */
  keys(group: number): Awaitable<GroupKey[]>;
  /** Returns a group's first event; undefined for a group without events. */
  first(group: number): number | undefined;
  /** The number of events in the window that the session's end cuts off; absent without windows. */
  readonly cutOff?: number;
}

/** A term whose value depends on the bindings alone. */
export type BindingTerm = AggregateTerm | ShareTerm | Extract<QueryTerm, { kind: 'count' }>;

/** A term's values, one per group; without groups, a single value. */
export interface GroupValues {
  readonly values: readonly TermValue[];
  /** For `max` and `min` without groups: the first events with the value, by label number. */
  readonly events?: ReadonlyMap<number, number> | undefined;
}

export interface CountedBindings {
  readonly isAny: boolean;
  /** The number of bindings; undefined if bindings exist but their number was not requested. */
  readonly number?: bigint | undefined;
  readonly method: Method;
}

/** Event numbers, by label. */
export type EventNumbers = ReadonlyMap<string, number>;

/** A complete or partial binding that explains a result. */
export interface FoundEvidence {
  readonly why: EvidenceRole;
  readonly of?: string;
  readonly events: EventNumbers;
}
