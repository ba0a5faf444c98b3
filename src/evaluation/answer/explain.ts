import {
  type Call,
  type Comparator,
  type Condition,
  conjunctsOf,
  type Expression,
  FUNCTIONS,
  type Literal,
  type Measure,
  type Operand,
  printTerm,
  type ShareNode,
  type Term,
} from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import type { Rational } from '../exact/number.js';
import { orUndecided, Undecided } from '../exact/undecided.js';
import { matchLabels } from '../methods/match-labels.js';
import type { BindingProblem } from '../methods/problem.js';
import { buildQuery } from '../query/build-query.js';
import { sidesOf } from '../query/build-terms.js';
import type { Query } from '../query/query.js';
import { difference } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import { eventsInBindings, evidenceBudget, type Found, findEvidence } from './listing.js';
import type { MeasureResult, Why } from './result.js';
import { questionOf, Terms } from './terms.js';

/** So many bindings are shown that contribute most, and so many events that are missing. */
const MOST_SHOWN = 3;

/** An expression over a session, and what it has come to. */
export interface Answered {
  readonly session: Session;
  readonly expression: Expression;
  readonly query: Query;
  readonly problem: BindingProblem;
  /** For each bound label the events that its pattern and its own conjuncts of FILTER leave. */
  readonly own: readonly Int32Array[];
  /** Those of AGGREGATE, in their order. */
  readonly measures: readonly MeasureResult[];
  readonly holds: boolean;
  /** Whether that was not expected; else only what is around a percentile is asked for. */
  readonly isUnexpected: boolean;
}

/**
 * What explains a verdict beyond the first bindings and those of `max` and `min`: what is
 * around a percentile, contributes most to a sum, a mean or a share, is missing from a count, or should
 * not be there. Each is a search of its own over the expression with one more condition; what is not
 * found within a part of the budget is left out.
 */
export function explanationOf(answered: Answered): Found[] {
  const { expression, measures, holds } = answered;
  const { aggregate } = expression;
  if (aggregate === undefined) return holds ? [] : forbidden(answered);
  return aggregate.measures.flatMap((measure, at) => {
    const result = measures[at] as MeasureResult;
    return !holds && result.holds !== false ? [] : ofMeasure(answered, measure, result);
  });
}

function ofMeasure(answered: Answered, measure: Measure, result: MeasureResult): Found[] {
  const above = answered.isUnexpected ? excessOf(measure, result) : 0;
  const leaves = [...leavesOf(measure.left, above), ...leavesOf(measure.right, -above)];
  return leaves.flatMap(({ leaf, excess }): Found[] => {
    if (leaf.kind === 'share') return excess === 0 ? [] : counted(answered, leaf, excess > 0);
    const { carries } = FUNCTIONS.get(leaf.name.text) ?? {};
    switch (carries?.kind) {
      case 'percentile':
        return aroundPercentile(answered, leaf);
      case 'moments':
        return carries.squares || excess === 0 ? [] : contributors(answered, leaf, excess > 0);
      case 'bindings':
        return excess < 0 ? tooFew(answered) : [];
      default:
        return [];
    }
  });
}

/** Above 0 where the left side is larger than it should be, below 0 where it is smaller. */
function excessOf({ comparator }: Measure, { left, right, holds }: MeasureResult): number {
  const sign = Math.sign(Number(left) - Number(right)) || 0;
  // Equal sides may be wrong too.
  if (sign !== 0 || holds !== false) return sign;
  return comparator === '<' ? 1 : comparator === '>' ? -1 : 0;
}

interface Leaf {
  readonly leaf: Call | ShareNode;
  /** Above 0 where it is larger than it should be, below 0 where it is smaller. */
  readonly excess: number;
}

function leavesOf(term: Term, excess: number): Leaf[] {
  switch (term.kind) {
    case 'call':
    case 'share':
      return [{ leaf: term, excess }];
    case 'sum':
    case 'product':
      return [
        ...leavesOf(term.first, excess),
        ...term.rest.flatMap(({ sign, operand }) => {
          return leavesOf(operand, sign === '-' || sign === '/' ? -excess : excess);
        }),
      ];
    default:
      return [];
  }
}

/** The binding that has the value, and those with the nearest values below and above it. */
function aroundPercentile(answered: Answered, call: Call): Found[] {
  const value = search(answered, call, []).value;
  const argument = call.argument as Operand;
  if (value === undefined) return [];
  return (
    [
      ['percentile', 'max', '<='],
      ['below', 'max', '<'],
      ['above', 'min', '>'],
    ] as const
  ).flatMap(([why, end, comparator]) => {
    const bounds = compared(argument, comparator, value);
    const { found } = search(answered, extremeOf(call, end), [bounds]);
    return found.map((one) => ({ ...one, why, of: printTerm(call) }));
  });
}

/** The bindings of the largest or the smallest values. */
function contributors(answered: Answered, call: Call, isLarge: boolean): Found[] {
  const why: Why = isLarge ? 'largest' : 'smallest';
  const contributing: Found[] = [];
  const bounds: Condition[] = [];
  while (contributing.length < MOST_SHOWN) {
    const extreme = extremeOf(call, isLarge ? 'max' : 'min');
    const { found, value } = search(answered, extreme, bounds);
    if (found.length === 0 || value === undefined) break;
    contributing.push(...found.map((one) => ({ ...one, why, of: printTerm(call) })));
    bounds.splice(0, 1, compared(call.argument as Operand, isLarge ? '<' : '>', value));
  }
  return contributing;
}

/** The bindings of which the condition of a share is true, or not. */
function counted(answered: Answered, share: ShareNode, isTrue: boolean): Found[] {
  const { span, condition } = share;
  const not = (operand: Condition): Condition => ({ kind: 'not', span, signSpan: span, operand });
  // Twice negated, for a conjunct of FILTER that is an equality would change what NEXT means.
  const asked = isTrue ? not(not(condition)) : not(condition);
  const { found } = search(answered, undefined, [asked]);
  const why: Why = isTrue ? 'counted' : 'uncounted';
  return found.map((one) => ({ ...one, why, of: printTerm(share) }));
}

function tooFew(answered: Answered): Found[] {
  const found = forbidden(answered);
  return found.length > 0 ? found : missing(answered);
}

/** Choices of the labels with the event that should not be there: of one absence, else of all together. */
function forbidden(answered: Answered): Found[] {
  const { expression, query } = answered;
  const absences = new Set(query.places.flatMap(({ absence }) => absence ?? []));
  const tried = absences.size > 1 ? [...absences, undefined] : [...absences];
  for (const which of tried) {
    const labels = new Set(
      query.places
        .filter(({ absence }) => absence !== undefined && (which ?? absence) === absence)
        .map(({ label }) => label),
    );
    const patterns = expression.match.patterns.map(({ absent, ...pattern }) => ({
      ...pattern,
      ...(absent && !labels.has(pattern.label.text) && { absent }),
    }));
    const match = { ...expression.match, patterns };
    const changed = { ...answered, expression: { ...expression, match } };
    const { found } = search(changed, undefined, [], 1);
    if (found.length > 0) return found.map((one) => ({ ...one, why: 'forbidden' }));
  }
  return [];
}

/** The first events that are in no binding, of the first label that has any. */
function missing({ problem, own, query }: Answered): Found[] {
  const limits = { budget: evidenceBudget(problem.limits) };
  const bound = orUndecided(() => eventsInBindings({ ...problem, limits }));
  if (bound instanceof Undecided) return [];
  for (const [number, label] of query.labels.entries()) {
    const left = difference(own[number] as Int32Array, bound.get(number) as Int32Array);
    if (left.length === 0) continue;
    const events = [...left.subarray(0, MOST_SHOWN)];
    return events.map((event) => ({ why: 'missing', events: new Map([[label, event]]) }));
  }
  return [];
}

/** Bindings that satisfy more conditions: the one with an extreme, else the first ones. */
function search(
  { session, expression, problem }: Pick<Answered, 'session' | 'expression' | 'problem'>,
  call: Call | undefined,
  more: readonly Condition[],
  limit = MOST_SHOWN,
): { readonly found: readonly Found[]; readonly value?: Rational } {
  const { match, when, filter, kind, span } = expression;
  const operands = [...(filter ? conjunctsOf(filter.condition) : []), ...more];
  const condition: Condition = { kind: 'and', span, operands };
  const changed: Expression = {
    ...{ kind, span, match },
    ...(when && { when }),
    ...(operands.length > 0 && { filter: { kind: 'filter', span, condition } }),
    ...(call && { aggregate: { kind: 'aggregate', span, measures: [anyOf(call)] } }),
  };
  const result = orUndecided(() => {
    const query = buildQuery(changed, () => timesOf(session));
    const limits = { budget: evidenceBudget(problem.limits) };
    const some = matchLabels(session, query, limits, problem.plan).problem;
    const [side] = sidesOf(query);
    const terms = new Terms(some, questionOf(side === undefined ? [] : [side]));
    const [of] = side === undefined ? [] : terms.values(side);
    const value = of?.is === 'number' ? of.value : undefined;
    if (call !== undefined && terms.extremes.length === 0) return { found: [], value };
    return { found: findEvidence(some, terms.extremes, limit), value };
  });
  if (result instanceof Undecided) return { found: [] };
  const { found, value } = result;
  return { found, ...(value !== undefined && { value }) };
}

function anyOf(call: Call): Measure {
  const { span } = call;
  const right = { kind: 'integer', span, value: 0n } as const;
  return { kind: 'measure', span, left: call, comparator: '>=', right };
}

function extremeOf({ kind, span, name, argument }: Call, end: 'max' | 'min'): Call {
  return { kind, span, name: { ...name, text: end }, argument };
}

/** An operand compared with a fraction, as a quotient: a double nearby may be on the other side of it. */
function compared(left: Operand, comparator: Comparator, { n, d }: Rational): Condition {
  const { span } = left;
  const integer = (value: bigint): Literal => ({ kind: 'integer', span, value });
  const rest = [{ sign: '/', signSpan: span, operand: integer(d) }] as const;
  const right: Operand = { kind: 'product', span, first: integer(n), rest };
  return { kind: 'comparison', span, left, comparator, right };
}
