import {
  type Expression,
  printRequirement,
  type Requirement,
  requiredBy,
  type Unit,
} from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import type { Undecided } from '../exact/undecided.js';
import type { LabelResult } from '../methods/match-labels.js';
import type { Method } from '../methods/problem.js';
import type { ValueCounts } from '../select/value-counts.js';

/** The result of an expression over a session. */
export interface Evaluation {
  readonly status: 'holds' | 'fails' | 'undecided';
  /**
   * The number of bindings, in decimal digits. Absent if unknown, and if there are some but the expression does not
   * use their number.
   */
  readonly bindings?: string;
  /** The measures of AGGREGATE, in order. */
  readonly measures: readonly MeasureResult[];
  /**
   * The number of choices of the other labels that an absence was tested on or, if all labels are absent, of
   * events; in decimal digits. Only if evidence is requested and the number is found soon.
   */
  readonly tested?: string;
  /** In the order of MATCH. */
  readonly labels: readonly LabelResult[];
  readonly evidence: readonly Evidence[];
  /** The method that found the bindings. The result does not depend on it. */
  readonly method: Method;
  /** The order of events that was used; absent for timelines and interactions. */
  readonly order?: EvaluationOrder;
  /** Remarks on the order of the events, one sentence each. */
  readonly notes?: readonly string[];
  /** Reasons for no verdict. */
  readonly undecided?: UndecidedReason;
  /**
   * True if the result says nothing about the system: a pattern matches no event, no group of BY is judged, an
   * absence had nothing to be tested on, or an operand met nothing.
   */
  readonly vacuous: boolean;
  /** The operands that met nothing, which makes the result vacuous; absent if there are none. */
  readonly metNothing?: readonly MetNothing[];
  /** The groups of BY. */
  readonly groups?: GroupsResult;
  /**
   * The relative distance from a change of the verdict, negative for a failure: the least distance between two
   * sides, over the greater of their magnitudes. Absent if no sides are numbers, and if the result is vacuous.
   */
  readonly margin?: number;
}

/** An attribute that no event of its label has, or none with a value that the comparison accepts. */
export interface MetNothing extends ValueCounts {
  readonly label: string;
  /** As printed. */
  readonly operand: string;
  /** The literal to write, or why the kinds do not fit; absent if the attribute is missing. */
  readonly help?: string;
}

/** An order by clocks. */
export interface EvaluationOrder {
  readonly by: 'time';
  /** The greatest difference between the clocks, in nanoseconds; absent for 0. */
  readonly skew?: string;
}

/** Counts of judged groups, and the worst ones. */
export interface GroupsResult {
  /** The number of groups that HAVING keeps, as far as known. */
  readonly all: number;
  /** The number of judged groups that satisfy the measures; absent if unknown. */
  readonly hold?: number;
  /** The number of groups that HAVING excludes; only with HAVING. */
  readonly leftOut?: number;
  /** The number of events in a last window that the end of the session cuts short, and which is not a group. */
  readonly cutOff?: number;
  /** A few groups, those furthest from satisfying the measures first. */
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
  /** As printed. */
  readonly key: string;
  /**
   * The value as an expression writes it; an event as `PROBE #seq` or `PROBE TIMELINE #seq`, a window as its first
   * time.
   */
  readonly value: string;
  /** Only if the key is a label. */
  readonly event?: EventPlace;
}

/** The result of a measure, or of several with AND or OR between them. */
export interface MeasureResult {
  /** As printed. */
  readonly text: string;
  /**
   * Both sides: an integer in full, any other number as the nearest double; or `undefined`. For a combination, the
   * sides of the measure that decides it.
   */
  readonly left: string;
  readonly right: string;
  /** The results of measures with AND between them. */
  readonly all?: readonly MeasureResult[];
  /** The results of measures with OR between them. */
  readonly any?: readonly MeasureResult[];
  /** Absent if undecided. With BY: true if enough groups satisfy all measures. */
  readonly holds?: boolean;
  /** As in `Evaluation`. */
  readonly margin?: number;
  /** The unit of both sides, if they are in nanoseconds. */
  readonly unit?: Unit;
}

/** A binding, or part of one, that explains the result. */
export interface Evidence {
  readonly why: Why;
  /** The aggregate that it shows. */
  readonly of?: string;
  readonly binding: Binding;
  /** The values of the expression's differences, and other arithmetic, in this binding. */
  readonly values?: readonly EvidenceValue[];
  /** The names of the attributes that are durations, in nanoseconds. */
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
  /** The position of the part in the text of the expression. */
  readonly span: Span;
  /** From 0 to 1, less for a nearer binding. */
  readonly distance: number;
  /** The number of bindings that fail this part alone, in decimal digits. */
  readonly count: string;
}

/**
 * The significance of a binding:
 * - `max`, `min`: it has the largest or smallest value of an aggregate;
 * - `percentile`: it has that value; `below`, `above`: it has the nearest value below or above;
 * - `largest`, `smallest`: it contributes most to a sum or a mean that is too large, or too small;
 * - `counted`, `uncounted`: the condition of a share is true of it, or is not;
 * - `forbidden`: its absent label is bound to the event that should not be there;
 * - `missing`: it is an unbound event, where there are too few bindings;
 * - `group`: it is in the worst group or, if that has no binding, it is just an event of the group;
 * - `near`: it fails one part of the expression, and satisfies all others;
 * - `clocks`: only the clocks order its events as required;
 * - `first`: it is one of the first.
 */
export type Why =
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
  /** As printed. */
  readonly text: string;
  /** Written like the sides of a measure. */
  readonly value: string;
  readonly unit?: Unit;
}

/** The event of each label. */
export type Binding = Readonly<Record<string, BoundEvent>>;

export interface BoundEvent extends EventPlace {
  /**
   * In evidence: its `name`, `time`, `trace.id` and `span.id`, and what the expression mentions, as
   * far as the event has them. Absent in lists of bindings.
   */
  readonly attributes?: Readonly<Record<string, EventValue>>;
}

/** An integer beyond 2^53 is a bigint; values of other kinds, and floats that are not finite, are texts. */
export type EventValue = number | bigint | string | boolean;

export interface EventPlace {
  readonly probe: string;
  /** Absent if the timeline has no name. */
  readonly timeline?: string;
  /** Its `seq` if it has one, as a text beyond 2^53; else its position among the events of its timeline, from 0. */
  readonly seq: number | string;
}

export interface UndecidedReason {
  /** The clause that forces an enumeration of the bindings. */
  readonly clause: string;
  readonly reason: string;
  readonly help: string;
}

/** Returns the verdict, and the reasons if there is none. */
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

/** Lists the results of single measures, in text order. */
export function eachMeasure(results: readonly MeasureResult[]): readonly MeasureResult[] {
  return results.flatMap((result) => {
    const parts = result.all ?? result.any;
    return parts === undefined ? [result] : eachMeasure(parts);
  });
}

/** Returns a result without a verdict. */
export function undecidedResult(
  { aggregate }: Expression,
  reasons: readonly Undecided[],
): Evaluation {
  return {
    ...verdictOf(undefined, reasons),
    measures: requiredBy(aggregate?.measures ?? []).map(unmeasured),
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
