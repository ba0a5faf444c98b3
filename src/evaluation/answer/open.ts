import type { Expression } from '../../expression/index.js';
import { sidesOf } from '../query/build-terms.js';
import type { Query, SessionTimes } from '../query/query.js';
import { baselineOf } from './baseline.js';
import { MeasuredTerms, queryOf } from './measured-terms.js';
import type { EvaluateOptions } from './options.js';
import type { Matched, SessionSource } from './source.js';
import { type Steps, settled } from './steps.js';
import { questionOf } from './terms.js';

/** An expression over a session, once its labels and groups are matched. */
export interface Opened {
  readonly source: SessionSource;
  readonly expression: Expression;
  readonly query: Query;
  readonly times: SessionTimes;
  readonly matched: Matched;
  readonly terms: MeasuredTerms;
}

/** @throws {Undecided} */
export function* open(
  source: SessionSource,
  expression: Expression,
  { count = false, baseline = [] }: Pick<EvaluateOptions, 'count' | 'baseline'> = {},
  isForEvidence = false,
): Steps<Opened> {
  const { query, times } = yield* queryOf(source, expression);
  const question = questionOf(sidesOf(query), query.by?.label, count);
  const matched = yield* settled(source.match({ query, times, question, isForEvidence }));
  const before = baselineOf(expression, query, baseline, source.limits);
  const terms = new MeasuredTerms(source, matched, before);
  return { source, expression, query, times, matched, terms };
}
