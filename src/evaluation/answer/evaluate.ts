import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { type TermValue, UNDEFINED, valueOfConstant } from '../exact/term-value.js';
import { matchLabels } from '../methods/match-labels.js';
import { PLAN, solve } from '../methods/plan.js';
import {
  type BindingProblem,
  BUDGET,
  type OnProgress,
  type PlanStep,
  type Question,
  type Solved,
  Undecided,
} from '../methods/problem.js';
import { buildQuery } from '../query/build-query.js';
import type { Query, QueryTerm } from '../query/query.js';
import { timesOf } from '../select/cells.js';
import { type AggregateValue, aggregateOne, aggregateSum } from './aggregate.js';
import { type ExtremeBinding, findEvidence } from './listing.js';
import {
  allHold,
  type Evaluation,
  keyOfTerm,
  measureResult,
  type UndecidedReason,
  verdictOf,
} from './result.js';

export interface EvaluateOptions {
  /** How many steps may be taken where bindings must be tried one by one; 100 million unless given. */
  readonly budget?: number;
  /** How many bindings to give as evidence where no measure asks for an extreme; none unless given. */
  readonly evidence?: number;
  /** Count the bindings even where the expression does not ask for their number. */
  readonly count?: boolean;
  /** Called during a long search with how much is done: steps of the budget, or events. */
  readonly onProgress?: OnProgress;
}

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
  return evaluateBy(PLAN, session, expression, options);
}

/** As `evaluate`, by a plan; the result does not depend on it. */
export function evaluateBy(
  plan: readonly PlanStep[],
  session: Session,
  expression: Expression,
  options: EvaluateOptions,
): Evaluation {
  const query = buildQuery(expression, () => timesOf(session));
  const limits = { ...options, budget: options.budget ?? BUDGET };
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
  const matched = attempt(() => matchLabels(session, query, limits, plan));
  if (matched === undefined) {
    const measures = (query.measures ?? []).map((measure) => measureResult(measure));
    const verdict = verdictOf(undefined, reasons);
    return { ...verdict, measures, labels: [], evidence: [], method: 'enumeration' };
  }
  const { problem, stages } = matched;
  const answers = new Answers(problem, questionOf(query, options.count ?? false));
  const solved = attempt(() => answers.solved);
  const measures = (query.measures ?? []).map((measure) => {
    const left = attempt(() => answers.value(measure.left));
    return measureResult(
      measure,
      left,
      attempt(() => answers.value(measure.right)),
    );
  });
  const isTrue = query.measures === undefined ? solved && totalOf(solved) > 0n : allHold(measures);
  const wanted = options.evidence ?? 0;
  const bindings = bindingsText(solved, answers.question);
  return {
    ...verdictOf(isTrue, reasons),
    ...(bindings !== undefined && { bindings }),
    measures,
    labels: stages,
    evidence: wanted < 1 ? [] : findEvidence(problem, answers.extremes, wanted),
    method: solved?.method ?? 'enumeration',
  };
}

/** The values of terms, each computed once, when it is asked for. */
class Answers {
  readonly #aggregates = new Map<string, AggregateValue>();
  readonly extremes: ExtremeBinding[] = [];
  #solved: Solved | Undecided | undefined;

  constructor(
    readonly problem: BindingProblem,
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
  value(term: QueryTerm): TermValue {
    switch (term.kind) {
      case 'constant':
        return valueOfConstant(term.value);
      case 'count':
        return { is: 'number', value: { n: totalOf(this.solved), d: 1n } };
      case 'aggregate': {
        const key = keyOfTerm(term);
        const known = this.#aggregates.get(key) ?? this.#aggregate(term);
        this.#aggregates.set(key, known);
        return known.value;
      }
    }
  }

  #aggregate(term: Extract<QueryTerm, { kind: 'aggregate' }>): AggregateValue {
    const { argument, labels, text } = term;
    const { carries } = term.function;
    const [label, other] = labels;
    if (label === undefined) return { value: UNDEFINED };
    const found =
      other !== undefined && argument.kind === 'sum'
        ? aggregateSum(this.problem, term.function, argument, labels)
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
  const needsCounts = (term: QueryTerm) =>
    term.kind === 'count' ||
    (term.kind === 'aggregate' &&
      term.labels.length === 1 &&
      term.function.carries.kind === 'moments');
  return {
    wanted: new Set(single.map(({ labels }) => labels[0] as number)),
    counts: count || terms.some(needsCounts),
  };
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
