import { type Expression, printMeasure, type Unit } from '../../expression/index.js';
import type { Undecided } from '../exact/undecided.js';
import type { LabelResult } from '../methods/match-labels.js';
import type { Method } from '../methods/problem.js';

/** What an expression comes to over a session. */
export interface Evaluation {
  readonly status: 'holds' | 'fails' | 'undecided';
  /**
   * The number of bindings, in decimal digits; absent where the expression does not ask for a
   * number of them and there are some, and where it is not known.
   */
  readonly bindings?: string;
  /** Those of AGGREGATE, in their order. */
  readonly measures: readonly MeasureResult[];
  /**
   * On how many choices of the other labels an absence was tested, in decimal digits; of how many
   * events, where all labels are absent. Only where evidence is asked for, and it is known soon.
   */
  readonly tested?: string;
  /** In the order of MATCH. */
  readonly labels: readonly LabelResult[];
  readonly evidence: readonly Evidence[];
  /** How the bindings were found. The result does not depend on it. */
  readonly method: Method;
  /** Why there is no verdict. */
  readonly undecided?: UndecidedReason;
  /**
   * Whether it says nothing about the system: a pattern matches no event, BY makes no group, or an
   * absence had nothing to be tested on.
   */
  readonly vacuous: boolean;
  /** Those of BY. */
  readonly groups?: GroupsResult;
  /**
   * How far the verdict is from turning, from -1 to 1 and beyond 0 where it holds: the least distance
   * of two sides over the greater of their magnitudes. Absent where no sides are numbers, and of what
   * is vacuous.
   */
  readonly margin?: number;
}

/** How many groups satisfy the measures. */
export interface GroupsResult {
  readonly all: number;
  /** Absent where it is not known. */
  readonly hold?: number;
  /** How many events lie in the last window, which the end of the session cuts short: it is no group. */
  readonly cutOff?: number;
  /** The groups that are furthest from satisfying them, first; a few. */
  readonly worst: readonly GroupResult[];
}

export interface GroupResult {
  /** What its bindings have in common, in the order of BY. */
  readonly keys: readonly GroupKey[];
  /** Those of AGGREGATE, of this group. */
  readonly measures: readonly MeasureResult[];
  readonly holds?: boolean;
}

export interface GroupKey {
  /** As the printer writes it. */
  readonly key: string;
  /** The value; an event as `PROBE #seq` or `PROBE TIMELINE #seq`, a window as the time that it begins at. */
  readonly value: string;
  /** Of a label. */
  readonly event?: EventPlace;
}

export interface MeasureResult {
  /** As the printer writes it. */
  readonly text: string;
  /** Both sides; an integer in full, other numbers as the nearest double; or `undefined`. */
  readonly left: string;
  readonly right: string;
  /** Absent where it is not known. With BY: whether enough groups satisfy it all. */
  readonly holds?: boolean;
  /** As in `Evaluation`. */
  readonly margin?: number;
  /** What both sides are, where they are nanoseconds. */
  readonly unit?: Unit;
}

/** A binding, or a part of one, that shows why. */
export interface Evidence {
  readonly why: Why;
  /** The aggregate that it shows. */
  readonly of?: string;
  readonly binding: Binding;
  /** What the differences, and other arithmetic, of the expression come to in it. */
  readonly values?: readonly EvidenceValue[];
  /** The names of the attributes that are lengths of time, in nanoseconds. */
  readonly durations?: readonly string[];
}

/**
 * What a binding shows:
 * - `max`, `min`: it has the largest or smallest value of an aggregate;
 * - `percentile`: it has that value; `below`, `above`: it has the nearest other one;
 * - `largest`, `smallest`: it contributes most to a sum or a mean that is too large, or too small;
 * - `counted`, `uncounted`: the condition of a share is true, or not, of it;
 * - `forbidden`: its absent label is bound to the event that should not be there;
 * - `missing`: an event that is in no binding, where there are too few of these;
 * - `group`: it is of the worst group, or where that has none, it is an event of the group alone;
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
  | 'first';

export interface EvidenceValue {
  /** As the printer writes it. */
  readonly text: string;
  /** As the sides of a measure. */
  readonly value: string;
  readonly unit?: Unit;
}

/** For each label its event. */
export type Binding = Readonly<Record<string, BoundEvent>>;

export interface BoundEvent extends EventPlace {
  /**
   * Of evidence, as far as the event has them: its `name`, `time`, `trace.id` and `span.id`, and what
   * the expression mentions. Absent in lists of bindings.
   */
  readonly attributes?: Readonly<Record<string, EventValue>>;
}

/** An integer beyond 2^53 is a bigint; values of other kinds, and floats that are not finite, are texts. */
export type EventValue = number | bigint | string | boolean;

export interface EventPlace {
  readonly probe: string;
  /** Where its timeline has a name. */
  readonly timeline?: string;
  /**
   * Its `seq` where it has one, as a text beyond 2^53; else its place among the events of its
   * timeline, from 0.
   */
  readonly seq: number | string;
}

export interface UndecidedReason {
  /** The clause that forces bindings to be tried one by one. */
  readonly clause: string;
  readonly reason: string;
  readonly help: string;
}

/** The verdict, and why there is none. */
export function verdictOf(
  isTrue: boolean | undefined,
  reasons: readonly UndecidedReason[],
): Pick<Evaluation, 'status' | 'undecided'> {
  const [reason] = reasons;
  if (isTrue !== undefined) return { status: isTrue ? 'holds' : 'fails' };
  return { status: 'undecided', ...(reason !== undefined && { undecided: reason }) };
}

/** What an error says. */
export function whyUndecided({ clause, message, help }: Undecided): UndecidedReason {
  return { clause, reason: message, help };
}

/** The result where nothing is known but why. */
export function nothingKnown({ aggregate }: Expression, reason: UndecidedReason): Evaluation {
  const sides = { left: 'undecided', right: 'undecided' };
  return {
    ...verdictOf(undefined, [reason]),
    measures: (aggregate?.measures ?? []).map((one) => ({ text: printMeasure(one), ...sides })),
    labels: [],
    vacuous: false,
    evidence: [],
    method: 'enumeration',
  };
}
