import {
  type Call,
  type Comparator,
  type Condition,
  conjunctsOf,
  type Expression,
  FUNCTIONS,
  type Literal,
  type Measure,
  measuresIn,
  type Operand,
  printTerm,
  type ShareNode,
  type Term,
} from '../../expression/index.js';
import type { Rational } from '../exact/number.js';
import type { Query } from '../query/query.js';
import { type EvidenceRole, listMeasures, type MeasureResult } from './result.js';
import type { FoundEvidence } from './source.js';

/** Maximum number of contributing bindings, and of missing events, to report. */
const MAX_SHOWN = 3;

/** An expression and its result over a session. */
export interface ExplainedAnswer {
  readonly expression: Expression;
  readonly query: Query;
  /** The measures of AGGREGATE, in order. */
  readonly measures: readonly MeasureResult[];
  readonly holds: boolean;
  /** True if the verdict was unexpected. Otherwise the explanation only searches for a percentile's neighbours. */
  readonly isUnexpected: boolean;
}

/** A search for up to `limit` bindings or events. */
export type Search =
  /** An expression's first bindings or, with AGGREGATE, the binding with the extreme value. */
  | { readonly kind: 'bindings'; readonly expression: Expression; readonly limit: number }
  /** The first unbound events of the first label with unbound events. */
  | { readonly kind: 'missing'; readonly limit: number };

/** A search's result, without evidence if the search exceeded its share of the budget. */
export interface SearchResult {
  readonly evidence: readonly FoundEvidence[];
  /** The extreme value, for an expression with AGGREGATE. */
  readonly value?: Rational;
}

/** A generator of searches, which an engine runs in sequence. */
type Explaining<Value> = Generator<Search, Value, SearchResult>;

/**
 * Explains a verdict by a percentile's neighbours, the largest contributors to a sum, mean or share, the events missing
 * from a count, or forbidden events. Each explanation is a search over the expression with an additional condition.
 * Skips a search that exceeds its share of the budget.
 */
export function* explainAnswer(answer: ExplainedAnswer): Explaining<FoundEvidence[]> {
  const { expression, measures, holds } = answer;
  const { aggregate } = expression;
  if (aggregate === undefined) return holds ? [] : yield* explainForbidden(answer);
  const evidence: FoundEvidence[] = [];
  const results = listMeasures(measures);
  for (const [at, measure] of measuresIn(aggregate.measures).entries()) {
    const result = results[at] as MeasureResult;
    if (result.holds === holds) evidence.push(...(yield* explainMeasure(answer, measure, result)));
  }
  return evidence;
}

function* explainMeasure(
  answer: ExplainedAnswer,
  measure: Measure,
  result: MeasureResult,
): Explaining<FoundEvidence[]> {
  const excess = answer.isUnexpected ? excessSign(measure, result) : 0;
  const leaves = [...termLeaves(measure.left, excess), ...termLeaves(measure.right, -excess)];
  const evidence: FoundEvidence[] = [];
  for (const leaf of leaves) evidence.push(...(yield* explainLeaf(answer, leaf)));
  return evidence;
}

function* explainLeaf(
  answer: ExplainedAnswer,
  { leaf, excess }: Leaf,
): Explaining<FoundEvidence[]> {
  if (leaf.kind === 'share')
    return excess === 0 ? [] : yield* explainCount(answer, leaf, excess > 0);
  const { carries } = FUNCTIONS.get(leaf.name.text) ?? {};
  switch (carries?.kind) {
    case 'percentile':
      return yield* percentileNeighbours(answer, leaf);
    case 'moments':
      return carries.squares || excess === 0 ? [] : yield* contributors(answer, leaf, excess > 0);
    case 'bindings':
      return excess < 0 ? yield* explainTooFew(answer) : [];
    default:
      return [];
  }
}

/**
 * Returns a positive number if the left side is too large for the comparator, a negative number if it is too small, and
 * otherwise 0.
 */
export function excessSign({ comparator }: Measure, { left, right, holds }: MeasureResult): number {
  const sign = Math.sign(Number(left) - Number(right)) || 0;
  // Equal sides fail a strict comparator.
  if (sign !== 0 || holds !== false) return sign;
  return comparator === '<' ? 1 : comparator === '>' ? -1 : 0;
}

interface Leaf {
  readonly leaf: Call | ShareNode;
  /** Positive if the value is too large, negative if it is too small. */
  readonly excess: number;
}

export function termLeaves(term: Term, excess: number): Leaf[] {
  switch (term.kind) {
    case 'call':
    case 'share':
      return [{ leaf: term, excess }];
    case 'sum':
    case 'product':
      return [
        ...termLeaves(term.first, excess),
        ...term.rest.flatMap(({ sign, operand }) => {
          return termLeaves(operand, sign === '-' || sign === '/' ? -excess : excess);
        }),
      ];
    default:
      return [];
  }
}

/** Searches for the bindings with the percentile's value, the next lower value and the next higher value. */
function* percentileNeighbours(answer: ExplainedAnswer, call: Call): Explaining<FoundEvidence[]> {
  const { value } = yield requestBindings(answer, call, []);
  const argument = call.argument as Operand;
  const neighbours: FoundEvidence[] = [];
  if (value === undefined) return neighbours;
  for (const [why, end, comparator] of [
    ['percentile', 'max', '<='],
    ['below', 'max', '<'],
    ['above', 'min', '>'],
  ] as const) {
    const bounds = compare(argument, comparator, value);
    const { evidence } = yield requestBindings(answer, extremeOf(call, end), [bounds]);
    neighbours.push(...evidence.map((entry) => ({ ...entry, why, of: printTerm(call) })));
  }
  return neighbours;
}

/** Searches for the bindings with the largest or the smallest values. */
function* contributors(
  answer: ExplainedAnswer,
  call: Call,
  isLarge: boolean,
): Explaining<FoundEvidence[]> {
  const why: EvidenceRole = isLarge ? 'largest' : 'smallest';
  const contributing: FoundEvidence[] = [];
  const bounds: Condition[] = [];
  while (contributing.length < MAX_SHOWN) {
    const extreme = extremeOf(call, isLarge ? 'max' : 'min');
    const { evidence, value } = yield requestBindings(answer, extreme, bounds);
    if (evidence.length === 0 || value === undefined) break;
    contributing.push(...evidence.map((entry) => ({ ...entry, why, of: printTerm(call) })));
    bounds.splice(0, 1, compare(call.argument as Operand, isLarge ? '<' : '>', value));
  }
  return contributing;
}

/** Searches for bindings for which a share's condition is true or, if `isTrue` is false, not true. */
function* explainCount(
  answer: ExplainedAnswer,
  share: ShareNode,
  isTrue: boolean,
): Explaining<FoundEvidence[]> {
  const { span, condition } = share;
  const not = (operand: Condition): Condition => ({ kind: 'not', span, signSpan: span, operand });
  // Negates the condition twice, because a bare equality as a FILTER conjunct would change the meaning of NEXT.
  const requiredCondition = isTrue ? not(not(condition)) : not(condition);
  const { evidence } = yield requestBindings(answer, undefined, [requiredCondition]);
  const why: EvidenceRole = isTrue ? 'counted' : 'uncounted';
  return evidence.map((entry) => ({ ...entry, why, of: printTerm(share) }));
}

function* explainTooFew(answer: ExplainedAnswer): Explaining<FoundEvidence[]> {
  const evidence = yield* explainForbidden(answer);
  if (evidence.length > 0) return evidence;
  return [...(yield { kind: 'missing', limit: MAX_SHOWN }).evidence];
}

/** Maximum number of absences for trying every subset. With more, tries each absence alone, then all together. */
const MAX_ABSENCES = 4;

/** Searches for bindings that contain forbidden events, with one or more absences relaxed. */
function* explainForbidden(answer: ExplainedAnswer): Explaining<FoundEvidence[]> {
  const { expression, query } = answer;
  const absences = [...new Set(query.places.flatMap(({ absence }) => absence ?? []))];
  for (const absenceSet of subsetsOf(absences)) {
    const labels = new Set(
      query.places
        .filter(({ absence }) => absence !== undefined && absenceSet.includes(absence))
        .map(({ label }) => label),
    );
    const patterns = expression.match.patterns.map(({ absent, ...pattern }) => ({
      ...pattern,
      ...(absent && !labels.has(pattern.label.text) && { absent }),
    }));
    const match = { ...expression.match, patterns };
    const { evidence } = yield requestBindings(
      { expression: { ...expression, match } },
      undefined,
      [],
      1,
    );
    if (evidence.length > 0) return evidence.map((entry) => ({ ...entry, why: 'forbidden' }));
  }
  return [];
}

/**
 * Lists the non-empty sets of absences, smallest first. Relaxing one absence may not be enough, because another absence
 * may forbid the same binding.
 */
function subsetsOf(absences: readonly number[]): number[][] {
  if (absences.length > MAX_ABSENCES)
    return [...absences.map((absence) => [absence]), [...absences]];
  const sets: number[][] = [[]];
  for (const absence of absences) sets.push(...sets.map((set) => [...set, absence]));
  return sets.slice(1).sort((a, b) => a.length - b.length);
}

/**
 * Returns a search for bindings that satisfy additional conditions: the binding with a call's value or, without a call,
 * the first bindings.
 */
function requestBindings(
  { expression }: Pick<ExplainedAnswer, 'expression'>,
  call: Call | undefined,
  additions: readonly Condition[],
  limit = MAX_SHOWN,
): Search {
  const { match, when, filter, kind, span } = expression;
  const operands = [...(filter ? conjunctsOf(filter.condition) : []), ...additions];
  const condition: Condition = { kind: 'and', span, operands };
  const variant: Expression = {
    ...{ kind, span, match },
    ...(when && { when }),
    ...(operands.length > 0 && { filter: { kind: 'filter', span, condition } }),
    ...(call && { aggregate: { kind: 'aggregate', span, measures: [anyValueOf(call)] } }),
  };
  return { kind: 'bindings', expression: variant, limit };
}

/** Returns a measure that makes engines compute a call. The comparison with 0 has no meaning. */
export function anyValueOf(call: Call): Measure {
  const { span } = call;
  const right = { kind: 'integer', span, value: 0n } as const;
  return { kind: 'measure', span, left: call, comparator: '>=', right };
}

function extremeOf({ kind, span, name, argument }: Call, end: 'max' | 'min'): Call {
  return { kind, span, name: { ...name, text: end }, argument };
}

/**
 * Returns a comparison of an operand with a fraction. Writes the fraction as a quotient, because the nearest double may
 * lie on its other side.
 */
function compare(left: Operand, comparator: Comparator, { n, d }: Rational): Condition {
  const { span } = left;
  const integer = (value: bigint): Literal => ({ kind: 'integer', span, value });
  const steps = [{ sign: '/', signSpan: span, operand: integer(d) }] as const;
  const right: Operand = { kind: 'product', span, first: integer(n), rest: steps };
  return { kind: 'comparison', span, left, comparator, right };
}
