import { type Expression, printMeasure } from '../../expression/index.js';
import { marginOf, showTerm, type TermValue, termsHold } from '../exact/term-value.js';
import type { Undecided } from '../exact/undecided.js';
import type { Method } from '../methods/problem.js';
import type { QueryMeasure } from '../query/query.js';

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
}

export interface LabelResult {
  readonly label: string;
  /** How many events its pattern matches. */
  readonly matched: number;
  /** How many of them are left by the conjuncts of FILTER that speak of this label alone. */
  readonly filtered: number;
  /**
   * How many of them have for each arrow of WHEN a partner that is left itself; where the
   * arrows make a tree, those that take part in an ordered binding.
   */
  readonly ordered: number;
}

/** A binding that shows why. */
export interface Evidence {
  /**
   * The binding has the largest or smallest value of a measure, it is of the worst group (where that
   * has none, it is an event of the group alone), or it is one of the first.
   */
  readonly why: 'max' | 'min' | 'group' | 'first';
  /** The aggregate whose extreme it is. */
  readonly of?: string;
  readonly binding: Binding;
}

/** For each label its event. */
export type Binding = Readonly<Record<string, EventPlace>>;

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

/** What a measure comes to, as far as its sides are known. */
export function measureResult(
  { comparator, text }: QueryMeasure,
  left?: TermValue,
  right?: TermValue,
): MeasureResult {
  const margin = left && right && marginOf(left, comparator, right);
  return {
    text,
    left: left === undefined ? 'undecided' : showTerm(left),
    right: right === undefined ? 'undecided' : showTerm(right),
    ...(left && right && { holds: termsHold(left, comparator, right) }),
    ...(margin !== undefined && { margin }),
  };
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
