import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { bindings, evaluate } from './evaluate.js';
import type { EvaluateOptions } from './options.js';
import type { Binding, Evaluation } from './result.js';

/** An expression evaluator for one session, in this process (`embeddedEngine`) or on a ClickHouse server. */
export interface Engine {
  /**
   * Evaluates an expression over the session.
   *
   * @throws {RangeError} for an unknown label or function
   */
  evaluate(
    expression: Expression,
    options?: Pick<
      EvaluateOptions,
      'evidence' | 'expects' | 'nearMisses' | 'onProgress' | 'baseline' | 'expected' | 'order'
    >,
  ): Promise<Evaluation>;
  /**
   * Returns the first bindings, up to `limit`; undefined if the budget or a server limit is exhausted first. Ignores
   * AGGREGATE.
   */
  bindings(expression: Expression, limit: number): Promise<readonly Binding[] | undefined>;
}

/** Returns an engine that evaluates in this process. */
export function embeddedEngine(
  session: Session,
  limits: Pick<EvaluateOptions, 'budget'> = {},
): Engine {
  return {
    evaluate: async (expression, options) =>
      evaluate(session, expression, { ...options, ...limits }),
    bindings: async (expression, limit) => bindings(session, expression, limit, limits),
  };
}
