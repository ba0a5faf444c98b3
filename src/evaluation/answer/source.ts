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
import type { Eventual } from './steps.js';

/*
 * The questions that the driver of an evaluation puts to an engine. Where there is no answer, `Undecided`
 * is thrown, or the promise is rejected with it. The engine numbers events as it likes.
 */

/** A session in an engine. */
export interface SessionSource {
  times(): Eventual<SessionTimes>;
  /** The number of its events. */
  size(): Eventual<number>;
  /** The different texts that its events have for an attribute, in any order; not more than some thousand. */
  textsOf(attribute: string): Eventual<readonly string[]>;
  /** Selects the events of a query's labels and groups, and leaves out what its absences forbid. */
  match(asked: Asked): Eventual<Matched>;
  describe(
    expression: Expression,
    times: SessionTimes,
    found: readonly Found[],
  ): Eventual<Evidence[]>;
  placesOf(events: readonly number[]): Eventual<ReadonlyMap<number, EventPlace>>;
  /** For the sessions of the baseline, which are always evaluated in this process. */
  readonly limits?: Limits;
}

/** A query, and what will be asked about its bindings. */
export interface Asked {
  readonly query: Query;
  /** Those of the session if the query needs them. */
  readonly times: SessionTimes;
  readonly question: Question;
  /** True if it is for evidence, which is left out if it is not found soon. */
  readonly isForEvidence: boolean;
}

/** The bindings of a query, or some of them. */
export interface Bindings {
  counted(): Eventual<CountedBindings>;
  valuesOf(term: BindingTerm): Eventual<GroupValues>;
  /**
   * Those of the first bindings that are found soon, at most `limit`.
   *
   * @param only the events of some labels, by their numbers
   */
  evidence(limit: number, only?: ReadonlyMap<number, number>): Eventual<readonly EventNumbers[]>;
}

/** All bindings of a query. */
export interface Matched extends Bindings {
  /** In the order of MATCH. */
  readonly labels: readonly LabelResult[];
  /** If the query has BY. */
  readonly groups?: MatchedGroups | undefined;
  /** Those in a group, or with an event of a label. */
  narrowed(to: Narrowing): Eventual<Bindings>;
  /** True if the labels can be chosen at all, before absences that are written as NOT apply. */
  hasChoice(): Eventual<boolean>;
  /** The number of these choices. */
  choices(): Eventual<bigint>;
  /** The first bindings, at most `limit`. */
  bindings(limit: number): Eventual<readonly EventNumbers[]>;
  /** The values of attributes among the events that the pattern at a place of MATCH matches. */
  valueCounts(place: number, attributes: readonly AttributeOf[]): Eventual<readonly ValueCounts[]>;
  /** The first events of a label that are in no binding, at most `limit`. */
  unbound(label: number, limit: number): Eventual<readonly number[]>;
}

/** The events that a label may have: those of a group of BY, or one. */
export type Narrowing =
  | { readonly group: number }
  | { readonly label: string; readonly event: number };

/** The groups of BY. Those without events have the same result: they are one group, the last. */
export interface MatchedGroups {
  readonly label: number;
  /** The number of groups, with all those without events as one. */
  readonly size: number;
  /** The number of groups. */
  readonly all: number;
  /** The number of groups that a group stands for. */
  weight(group: number): number;
  /** What the group's events have in common, one entry per key; for empty windows, the entries of the first. */
  keys(group: number): Eventual<GroupKey[]>;
  /** The first event of a group; undefined if it has none. */
  first(group: number): number | undefined;
  /** The number of events in the stretch that the end of the session cuts short; for windows only. */
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
  /** Undefined if there are some, but their number was not asked for. */
  readonly number?: bigint | undefined;
  readonly method: Method;
}

/** The number of each label's event. */
export type EventNumbers = ReadonlyMap<string, number>;

/** A binding, or part of one, that shows why a result is as it is. */
export interface Found {
  readonly why: Why;
  readonly of?: string;
  readonly events: EventNumbers;
}
