import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { compareNumbers, isNumber, type TermValue, UNDEFINED } from '../exact/term-value.js';
import { memoize, Undecided } from '../exact/undecided.js';
import { PLAN } from '../methods/plan.js';
import { BUDGET, type Limits } from '../methods/problem.js';
import { Selection } from '../order/selection.js';
import { buildQuery } from '../query/build-query.js';
import { partsOfTerm, sidesOf } from '../query/build-terms.js';
import type { BaselineTerm, Query } from '../query/query.js';
import { timesOf } from '../select/cells.js';
import { matchIn } from './embedded-source.js';
import { MeasuredTerms } from './measured-terms.js';
import type { MatchRequest } from './source.js';
import { runSync } from './steps.js';
import { makeQuestion } from './terms.js';

/** Lists a query's baseline terms, in order. */
function baselineTerms(query: Query): BaselineTerm[] {
  return sidesOf(query)
    .flatMap(partsOfTerm)
    .filter((term) => term.kind === 'baseline');
}

export function readsBaseline(query: Query): boolean {
  return baselineTerms(query).length > 0;
}

/**
 * Returns a function that computes a query's terms over a baseline, as the lower median of the sessions' defined
 * values. Matches each session once, on first use.
 */
export function createBaselineEvaluator(
  expression: Expression,
  query: Query,
  sessions: readonly Session[],
  limits: Limits = { budget: BUDGET, plan: PLAN },
): (term: BaselineTerm) => TermValue {
  const order = baselineTerms(query);
  const openSource = memoize(() =>
    sessions.map((session) => {
      // Each session has its own `session.start`.
      const { by, ...query } = buildQuery(expression, () => timesOf(session));
      const terms = baselineTerms({ ...query, ...(by && { by }) });
      const question = makeQuestion(terms.map((term) => term.term));
      const selection = new Selection(session);
      const source = {
        times: () => timesOf(session),
        match: (request: MatchRequest) => matchIn(selection, request, limits),
      };
      const matches = source.match({ query, times: {}, question, isForEvidence: false });
      return { measured: new MeasuredTerms(source, matches), terms };
    }),
  );
  return (term) => {
    if (sessions.length === 0) throw missingBaseline(term.text);
    const at = order.indexOf(term);
    const values = openSource()
      .flatMap(({ measured: measuredTerms, terms }) =>
        runSync(measuredTerms.of((terms[at] as BaselineTerm).term)),
      )
      .filter(isNumber);
    values.sort((a, b) => compareNumbers(a, b) as number);
    return values[Math.floor((values.length - 1) / 2)] ?? UNDEFINED;
  };
}

function missingBaseline(text: string): Undecided {
  return new Undecided(
    text,
    'there is no baseline session',
    'name sessions without mutations with --baseline',
  );
}
