import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { PLAN } from '../methods/plan.js';
import { BUDGET, type PlanStep } from '../methods/problem.js';
import { listing } from './driver.js';
import { embeddedSource } from './embedded-source.js';
import { evaluateInOrder } from './in-order.js';
import type { EvaluateOptions } from './options.js';
import type { Binding, Evaluation } from './result.js';
import { runSync } from './steps.js';

/**
 * Evaluates an expression over a session, exactly.
 *
 * @param expression an expression that passes the checks without errors
 * @throws {RangeError} for an unknown label or function
 */
export function evaluate(
  session: Session,
  expression: Expression,
  options: EvaluateOptions = {},
): Evaluation {
  return evaluateWith(PLAN, session, expression, options);
}

/** Evaluates like `evaluate`, with a given plan. The result does not depend on the plan. */
export function evaluateWith(
  plan: readonly PlanStep[],
  session: Session,
  expression: Expression,
  options: EvaluateOptions,
): Evaluation {
  const { budget = BUDGET, onProgress } = options;
  return evaluateInOrder(session, expression, options, { plan, budget, onProgress });
}

/**
 * Returns an expression's first bindings. Ignores AGGREGATE.
 *
 * @param limit maximum number of bindings
 * @returns undefined if the budget is exhausted first
 * @throws {RangeError} for an unknown label or function
 */
export function bindings(
  session: Session,
  expression: Expression,
  limit: number,
  { budget = BUDGET }: BindingsOptions = {},
): Binding[] | undefined {
  return runSync(listing(embeddedSource(session, { plan: PLAN, budget }), expression, limit));
}

export type BindingsOptions = Pick<EvaluateOptions, 'budget'>;
