import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { showTerm, type TermValue, termsHold } from '../exact/term-value.js';
import {
  type Method,
  type OnProgress,
  type Problem,
  type Question,
  type Solved,
  Undecided,
} from '../methods/problem.js';
import { solve } from '../methods/solve.js';
import type { LaneLimits } from '../order/clock-columns.js';
import { buildQuery } from '../query/build-query.js';
import type { Measure, Query, Term } from '../query/query.js';
import { type AggregateValue, aggregateOne, UNDEFINED, valueOfNumber } from './aggregate.js';
import { aggregateSeveral } from './aggregate-several.js';
import { type ExtremeBinding, findEvidence } from './evidence.js';
import { matchLabels } from './matching.js';
import type { Evaluation, MeasureResult, UndecidedReason } from './result.js';

export interface EvaluateOptions {
  /** How many steps may be taken where bindings must be tried one by one; 100 million unless given. */
  readonly budget?: number;
  /** How many bindings to give as evidence where no measure asks for an extreme; none unless given. */
  readonly evidence?: number;
  /** Count the bindings even where the expression does not ask for their number. */
  readonly count?: boolean;
  /** Called during a long search with how much is done: steps of the budget, or events. */
  readonly onProgress?: OnProgress;
  /** For tests: how to find bindings, wherever that applies. The result does not depend on it. */
  readonly method?: Method;
  /** For tests: how clock columns are swept. */
  readonly clocks?: LaneLimits;
  /** For tests: from which count on to leave doubles. */
  readonly doubleLimit?: number;
}

/** How many steps may be taken unless an option says so. */
export const BUDGET = 100e6;

/**
 * Evaluates an expression over a session, exactly.
 *
 * @param expression one that the checks find no error in
 * @throws {RangeError} for a label or a function that does not exist
 */
export function evaluate(
  session: Session,
  expression: Expression,
  options: EvaluateOptions = {},
): Evaluation {
  const query = buildQuery(expression);
  const limits = { ...options, budget: options.budget ?? BUDGET };
  const { problem, labels } = matchLabels(session, query, limits);
  const answers = new Answers(problem, questionOf(query, options.count ?? false));
  const reasons: UndecidedReason[] = [];
  const attempt = <Value>(work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      reasons.push({ clause: error.clause, reason: error.message, help: error.help });
      return undefined;
    }
  };

  const solved = attempt(() => answers.solved);
  const measures = (query.measures ?? []).map((measure) =>
    measureResult(measure, answers, attempt),
  );
  const isTrue = query.measures === undefined ? solved && totalOf(solved) > 0n : all(measures);
  const wanted = options.evidence ?? 0;
  const evidence = wanted < 1 ? [] : findEvidence(problem, answers.extremes, wanted);
  const bindings = bindingsText(solved, answers.question);
  const [reason] = reasons;
  return {
    status: isTrue === undefined ? 'undecided' : isTrue ? 'holds' : 'fails',
    ...(bindings !== undefined && { bindings }),
    measures,
    labels,
    evidence,
    method: solved?.method ?? 'enumeration',
    ...(isTrue === undefined && reason !== undefined && { undecided: reason }),
  };
}

/** False as soon as one measure is; undecided only if it hangs on one that is. */
function all(measures: readonly MeasureResult[]): boolean | undefined {
  if (measures.some(({ holds }) => holds === false)) return false;
  return measures.every(({ holds }) => holds === true) ? true : undefined;
}

/** The values of terms, each computed once, when it is asked for. */
class Answers {
  readonly #aggregates = new Map<string, AggregateValue>();
  readonly extremes: ExtremeBinding[] = [];
  #solved: Solved | Undecided | undefined;

  constructor(
    readonly problem: Problem,
    readonly question: Question,
  ) {}

  /** @throws {Undecided} */
  get solved(): Solved {
    this.#solved ??= this.#solve();
    if (this.#solved instanceof Undecided) throw this.#solved;
    return this.#solved;
  }

  /** That it is undecided is kept too: to find it out again would take the whole budget. */
  #solve(): Solved | Undecided {
    try {
      return solve(this.problem, this.question);
    } catch (error) {
      if (error instanceof Undecided) return error;
      throw error;
    }
  }

  /** @throws {Undecided} */
  value(term: Term): TermValue {
    switch (term.kind) {
      case 'constant':
        return constantValue(term.value);
      case 'count':
        return { is: 'number', value: { n: totalOf(this.solved), d: 1n } };
      case 'aggregate': {
        const key = JSON.stringify([term.function.name, term.argument], (_, value) =>
          typeof value === 'bigint' ? `${value}n` : value,
        );
        const known = this.#aggregates.get(key) ?? this.#aggregate(term);
        this.#aggregates.set(key, known);
        return known.value;
      }
    }
  }

  #aggregate(term: Extract<Term, { kind: 'aggregate' }>): AggregateValue {
    const { argument, labels, text } = term;
    const { carries } = term.function;
    const [label, other] = labels;
    if (label === undefined) return UNDEFINED;
    const found =
      other !== undefined && argument.kind === 'sum'
        ? aggregateSeveral(this.problem, term.function, argument, labels)
        : aggregateOne(this.problem.session, term.function, argument, label, this.solved);
    if (carries.kind === 'extreme' && found.events !== undefined) {
      this.extremes.push({ why: carries.end, of: text, events: found.events });
    }
    return found;
  }
}

function questionOf({ measures }: Query, count: boolean): Question {
  const terms = (measures ?? []).flatMap(({ left, right }) => [left, right]);
  const single = terms.flatMap((term) =>
    term.kind === 'aggregate' && term.labels.length === 1 ? [term] : [],
  );
  const needsCounts = (term: Term) =>
    term.kind === 'count' ||
    (term.kind === 'aggregate' &&
      term.labels.length === 1 &&
      term.function.carries.kind === 'moments');
  return {
    wanted: new Set(single.map(({ labels }) => labels[0] as number)),
    counts: count || terms.some(needsCounts),
  };
}

function measureResult(
  measure: Measure,
  answers: Answers,
  attempt: <Value>(work: () => Value) => Value | undefined,
): MeasureResult {
  const { left, comparator, right, text } = measure;
  const [a, b] = [attempt(() => answers.value(left)), attempt(() => answers.value(right))];
  return {
    text,
    left: a === undefined ? 'undecided' : showTerm(a),
    right: b === undefined ? 'undecided' : showTerm(b),
    ...(a !== undefined && b !== undefined && { holds: termsHold(a, comparator, b) }),
  };
}

function constantValue(value: Extract<Term, { kind: 'constant' }>['value']): TermValue {
  if (typeof value === 'string') return { is: 'text', text: value };
  if (typeof value === 'boolean') return { is: 'boolean', value };
  return valueOfNumber(value);
}

function totalOf({ solutions }: Solved): bigint {
  return solutions.reduce((sum, { total }) => sum + total, 0n);
}

/** Where only existence was asked for, a total above zero is no number of bindings. */
function bindingsText(solved: Solved | undefined, { counts }: Question): string | undefined {
  if (solved === undefined) return undefined;
  const total = totalOf(solved);
  return counts || total === 0n ? String(total) : undefined;
}
