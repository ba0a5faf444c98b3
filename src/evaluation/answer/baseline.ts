import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { compareNumbers, isNumber, type TermValue, UNDEFINED } from '../exact/term-value.js';
import { Undecided } from '../exact/undecided.js';
import { matchLabels } from '../methods/match-labels.js';
import { PLAN } from '../methods/plan.js';
import { BUDGET, type Limits } from '../methods/problem.js';
import { buildQuery } from '../query/build-query.js';
import { partsOfTerm, sidesOf } from '../query/build-terms.js';
import type { BaselineTerm, Query } from '../query/query.js';
import { timesOf } from '../select/cells.js';
import { questionOf, Terms } from './terms.js';

/** The terms of a query that read the baseline, in order. */
function baselineTerms(query: Query): BaselineTerm[] {
  return sidesOf(query)
    .flatMap(partsOfTerm)
    .filter((term) => term.kind === 'baseline');
}

export function readsBaseline(query: Query): boolean {
  return baselineTerms(query).length > 0;
}

/**
 * The values of a query's terms over a baseline: the lower median of the sessions' values, without
 * undefined ones. Each session is matched once, when it is first needed.
 */
export function baselineOf(
  expression: Expression,
  query: Query,
  sessions: readonly Session[],
  limits: Limits = { budget: BUDGET, plan: PLAN },
): (term: BaselineTerm) => TermValue {
  const order = baselineTerms(query);
  let opened: { readonly terms: Terms; readonly own: readonly BaselineTerm[] }[] | undefined;
  return (term) => {
    if (sessions.length === 0) throw noBaseline(term.text);
    opened ??= sessions.map((session) => {
      // Each session has its own `session.start`.
      const asked = buildQuery(expression, () => timesOf(session));
      const { problem } = matchLabels(session, asked, limits);
      const own = baselineTerms(asked);
      const question = questionOf(own.map((one) => one.term));
      return { terms: new Terms(problem, question), own };
    });
    const at = order.indexOf(term);
    const values = opened
      .flatMap(({ terms, own }) => terms.values((own[at] as BaselineTerm).term))
      .filter(isNumber);
    values.sort((a, b) => compareNumbers(a, b) as number);
    return values[Math.floor((values.length - 1) / 2)] ?? UNDEFINED;
  };
}

function noBaseline(text: string): Undecided {
  return new Undecided(
    text,
    'there is no baseline session',
    'name sessions without mutations with --baseline',
  );
}
