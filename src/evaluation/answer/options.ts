import type { Session } from '../../session/index.js';
import type { OrderChoice } from '../clocks/order-choice.js';
import type { OnProgress } from '../methods/problem.js';

export interface EvaluateOptions {
  /** The most steps to take where bindings must be tried one by one; 100 million by default. */
  readonly budget?: number;
  /** Maximum number of bindings as evidence where no measure needs particular ones (default 0). */
  readonly evidence?: number;
  /**
   * The status that needs no explanation: what takes further searches is left out of its evidence.
   * By default, every status is explained.
   */
  readonly expects?: 'holds' | 'fails';
  /** The sessions that `baseline` reads. Without any, a measure that reads it is undecided. */
  readonly baseline?: readonly Session[];
  /**
   * Names of events and attributes that a good session lacks: a pattern that asks only for such events may
   * match nothing, and such an attribute may be missing.
   */
  readonly expected?: readonly string[];
  /**
   * Search for near misses as evidence: of a result that is not as expected, or also where nothing matched
   * as expected. By default, of none.
   */
  readonly nearMisses?: 'failures' | 'always';
  /** Count the bindings even if the expression does not ask for their number. */
  readonly count?: boolean;
  /** The order that the expression asks about; `auto` over the session and the baseline if absent. */
  readonly order?: OrderChoice;
  /** Called during a long search with what has been done so far: steps of the budget, or events. */
  readonly onProgress?: OnProgress;
}
