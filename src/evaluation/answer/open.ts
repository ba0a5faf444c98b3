import type { Expression } from '../../expression/index.js';
import { sidesOf } from '../query/build-terms.js';
import type { Query, SessionTimes } from '../query/query.js';
import { createBaselineEvaluator } from './baseline.js';
import { MeasuredTerms, makeQuery } from './measured-terms.js';
import type { EvaluateOptions } from './options.js';
import type { MatchedBindings, SessionSource } from './source.js';
import { type Steps, settle } from './steps.js';
import { makeQuestion } from './terms.js';

/** An expression and a session, with matched labels and groups. */
export interface OpenQuery {
  readonly source: SessionSource;
  readonly expression: Expression;
  readonly query: Query;
  readonly times: SessionTimes;
  readonly matches: MatchedBindings;
  readonly terms: MeasuredTerms;
}

/**
 * Builds an expression's query and matches it against a session.
 *
 * @throws {Undecided}
 */
export function* openQuery(
  source: SessionSource,
  expression: Expression,
  { count = false, baseline = [] }: Pick<EvaluateOptions, 'count' | 'baseline'> = {},
  isForEvidence = false,
): Steps<OpenQuery> {
  const { query, times } = yield* makeQuery(source, expression);
  const question = makeQuestion(sidesOf(query), query.by?.label, count);
  const matches = yield* settle(source.match({ query, times, question, isForEvidence }));
  const evaluateTerm = createBaselineEvaluator(expression, query, baseline, source.limits);
  const terms = new MeasuredTerms(source, matches, evaluateTerm);
  return { source, expression, query, times, matches, terms };
}
