import {
  type Expression,
  printRequirement,
  type Requirement,
  splitRequirements,
  type Unit,
} from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import type { Undecided } from '../exact/undecided.js';
import type { LabelResult } from '../methods/match-labels.js';
import type { Method } from '../methods/problem.js';
import type { ValueCounts } from '../select/value-counts.js';

/** The result of evaluating an expression over a session. */
export interface Evaluation {
  readonly status: 'holds' | 'fails' | 'undecided';
  /**
   * The number of bindings, in decimal digits. Absent if unknown, or if bindings exist but the expression does not use
   * their number.
   */
  readonly bindings?: string;
  /** The measures of AGGREGATE, in order. */
  readonly measures: readonly MeasureResult[];
  /**
   * The number of bindings of the other labels that were checked for an absence, in decimal digits. If all labels are
   * absent, the number of events. Present only if evidence is requested and the number can be found soon.
   */
  readonly tested?: string;
  /** The labels' results, in the order of MATCH. */
  readonly labels: readonly LabelResult[];
  readonly evidence: readonly Evidence[];
  /** The method that found the bindings. The result does not depend on the method. */
  readonly method: Method;
  /** The order of events, if by clocks; absent for an order by timelines and interactions. */
  readonly order?: EvaluationOrder;
  /** Remarks on the order of the events, one sentence each. */
  readonly notes?: readonly string[];
  /** The reason for an undecided result. */
  readonly undecided?: UndecidedReason;
  /**
   * True if the result is not informative about the system: a pattern matches no event, no group of BY is judged, no
   * binding was checked for an absence, or an operand has no values to compare.
   */
  readonly vacuous: boolean;
  /** The operands without values to compare, which make the result vacuous; absent if empty. */
  readonly metNothing?: readonly UnmetOperand[];
  /** The groups of BY. */
  readonly groups?: GroupsResult;
  /**
   * The relative distance from a change of the verdict, negative for a failure: the smallest difference between two
   * sides, divided by the larger of their magnitudes. Absent if no sides are numbers, or if the result is vacuous.
   */
  readonly margin?: number;
}

/**
 * An attribute that is missing from every event of its label, or has only kinds of values that the comparison does not
 * accept.
 */
export interface UnmetOperand extends ValueCounts {
  readonly label: string;
  /** The operand, as printed. */
  readonly operand: string;
  /** Advice, such as a literal to compare with; absent if there is none, for example if the attribute is missing. */
  readonly help?: string;
}

/** An order by clocks. */
export interface EvaluationOrder {
  readonly by: 'time';
  /** Maximum difference between the clocks, in nanoseconds; absent for 0. */
  readonly skew?: string;
}

/** Counts of judged groups, and the worst groups. */
export interface GroupsResult {
  /** The number of groups that HAVING keeps, including groups for which HAVING is undecided. */
  readonly all: number;
  /** The number of judged groups that satisfy the measures; absent if unknown. */
  readonly hold?: number;
  /** The number of groups that HAVING excludes; absent without HAVING. */
  readonly leftOut?: number;
  /**
   * The number of events in the last window, if the session's end cuts this window off. Such a window is not a group.
   */
  readonly cutOff?: number;
  /** A few groups, furthest from satisfying the measures first. */
  readonly worst: readonly GroupResult[];
}

export interface GroupResult {
  /** The common values of the group's bindings, in the order of BY. */
  readonly keys: readonly GroupKey[];
  /** The measures of AGGREGATE for this group. */
  readonly measures: readonly MeasureResult[];
  readonly holds?: boolean;
}

export interface GroupKey {
  /** The key, as printed. */
  readonly key: string;
  /** The value in expression syntax; an event as `PROBE #seq` or `PROBE TIMELINE #seq`, a window as its start time. */
  readonly value: string;
  /** The event, only if the key is a label. */
  readonly event?: EventPlace;
}

/** The result of a measure, or of an AND or OR of measures. */
export interface MeasureResult {
  /** The measure, as printed. */
  readonly text: string;
  /**
   * Both sides: integers in full, other numbers as the nearest double, otherwise `undefined` or `undecided`. For a
   * combination, the sides of the decisive measure.
   */
  readonly left: string;
  readonly right: string;
  /** The results of the measures that AND combines. */
  readonly all?: readonly MeasureResult[];
  /** The results of the measures that OR combines. */
  readonly any?: readonly MeasureResult[];
  /** The verdict; absent if undecided. With BY, true if enough groups satisfy all measures. */
  readonly holds?: boolean;
  /** The margin, as in `Evaluation`. */
  readonly margin?: number;
  /** The unit of both sides, if they are in nanoseconds. */
  readonly unit?: Unit;
}

/** A complete or partial binding that explains the result. */
export interface Evidence {
  readonly why: EvidenceRole;
  /** The aggregate that the binding explains. */
  readonly of?: string;
  readonly binding: Binding;
  /** The values of the expression's arithmetic in this binding. */
  readonly values?: readonly EvidenceValue[];
  /** Names of attributes that are durations in nanoseconds. */
  readonly durations?: readonly string[];
  /** The part that a near miss fails. */
  readonly near?: NearMiss;
}

/** The one part of the expression that a binding fails. */
export interface NearMiss {
  /** The failure as a sentence without a full stop. */
  readonly text: string;
  /** The part, as printed. */
  readonly part: string;
  /** The part's position in the expression's text. */
  readonly span: Span;
  /** The binding's distance from satisfying the part, from 0 to 1. */
  readonly distance: number;
  /** The number of bindings that fail this part alone, in decimal digits. */
  readonly count: string;
}

/**
 * The significance of a binding:
 * - `max`, `min`: has the largest or smallest value of an aggregate;
 * - `percentile`: has the percentile's value; `below`, `above`: has the nearest value below or above;
 * - `largest`, `smallest`: contributes most to a sum or mean that is too large or too small;
 * - `counted`, `uncounted`: the share's condition is true, or not true;
 * - `forbidden`: binds an absent label to a forbidden event;
 * - `missing`: an unbound event, if there are too few bindings;
 * - `group`: a binding of the worst group or, without bindings, an event of the group;
 * - `near`: fails one part of the expression and satisfies all others;
 * - `clocks`: only the clocks order the events as required;
 * - `first`: one of the first bindings.
 */
export type EvidenceRole =
  | 'max'
  | 'min'
  | 'percentile'
  | 'below'
  | 'above'
  | 'largest'
  | 'smallest'
  | 'counted'
  | 'uncounted'
  | 'forbidden'
  | 'missing'
  | 'group'
  | 'near'
  | 'clocks'
  | 'first';

export interface EvidenceValue {
  /** The arithmetic, as printed. */
  readonly text: string;
  /** The value, formatted like the sides of a measure. */
  readonly value: string;
  readonly unit?: Unit;
}

/** The event bound to each label. */
export type Binding = Readonly<Record<string, BoundEvent>>;

export interface BoundEvent extends EventPlace {
  /**
   * In evidence: the event's `name`, `time`, `trace.id` and `span.id`, and the attributes that the expression mentions,
   * if present. Absent in lists of bindings.
   */
  readonly attributes?: Readonly<Record<string, EventValue>>;
}

/**
 * An attribute's value. An integer beyond 2^53 is a bigint. A non-finite float, or a value of another kind, is a
 * string.
 */
export type EventValue = number | bigint | string | boolean;

export interface EventPlace {
  readonly probe: string;
  /** The timeline's name; absent if unnamed. */
  readonly timeline?: string;
  /** The event's `seq`, as a string beyond 2^53; without `seq`, the event's position in its timeline, from 0. */
  readonly seq: number | string;
}

export interface UndecidedReason {
  /** The clause that makes the result undecided. */
  readonly clause: string;
  readonly reason: string;
  readonly help: string;
}

/** Returns the verdict or, if undecided, the first reason. */
export function verdictOf(
  isTrue: boolean | undefined,
  reasons: readonly Undecided[],
): Pick<Evaluation, 'status' | 'undecided'> {
  if (isTrue !== undefined) return { status: isTrue ? 'holds' : 'fails' };
  const [first] = reasons;
  if (first === undefined) return { status: 'undecided' };
  const { clause, message: reason, help } = first;
  return { status: 'undecided', undecided: { clause, reason, help } };
}

/** Lists the results of the single measures, in text order. */
export function listMeasures(results: readonly MeasureResult[]): readonly MeasureResult[] {
  return results.flatMap((result) => {
    const parts = result.all ?? result.any;
    return parts === undefined ? [result] : listMeasures(parts);
  });
}

/** Returns an undecided result. */
export function undecidedResult(
  { aggregate }: Expression,
  reasons: readonly Undecided[],
): Evaluation {
  return {
    ...verdictOf(undefined, reasons),
    measures: splitRequirements(aggregate?.measures ?? []).map(unmeasured),
    labels: [],
    vacuous: false,
    evidence: [],
    method: 'enumeration',
  };
}

function unmeasured(requirement: Requirement): MeasureResult {
  const result = { text: printRequirement(requirement), left: 'undecided', right: 'undecided' };
  if (requirement.kind === 'measure') return result;
  return { ...result, [requirement.kind]: requirement.operands.map(unmeasured) };
}
