import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { bindings, evaluate } from './evaluate.js';
import type { EvaluateOptions } from './options.js';
import type { Binding, Evaluation } from './result.js';

/** An evaluator of expressions over one session: `embeddedEngine`, or one on a ClickHouse server. */
export interface Engine {
  /** @throws {RangeError} for a label or a function that does not exist */
  evaluate(
    expression: Expression,
    options?: Pick<
      EvaluateOptions,
      'evidence' | 'expects' | 'nearMisses' | 'onProgress' | 'baseline' | 'expected' | 'order'
    >,
  ): Promise<Evaluation>;
  /**
   * Returns the first bindings, at most `limit`; undefined if the budget or a server limit is spent first. Ignores
   * AGGREGATE.
   */
  bindings(expression: Expression, limit: number): Promise<readonly Binding[] | undefined>;
}

/** The engine of this process. */
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
