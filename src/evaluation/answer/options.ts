import type { Session } from '../../session/index.js';
import type { OrderChoice } from '../clocks/order-choice.js';
import type { OnProgress } from '../methods/problem.js';

export interface EvaluateOptions {
  /** Maximum number of steps where bindings must be tried one by one (default 100 million). */
  readonly budget?: number;
  /** Maximum number of bindings as evidence where no measure needs particular ones (default 0). */
  readonly evidence?: number;
  /** The expected status. Evidence of it omits what takes further searches. By default, every status is explained. */
  readonly expects?: 'holds' | 'fails';
  /** The sessions that `baseline` reads. Without any, a measure of the baseline is undecided. */
  readonly baseline?: readonly Session[];
  /**
   * Names of events and attributes that a good session may lack: a pattern for only such events may match nothing,
   * and such an attribute may be missing.
   */
  readonly expected?: readonly string[];
  /**
   * Searches for near misses as evidence: of an unexpected result, or also where nothing matched as expected
   * (default: never).
   */
  readonly nearMisses?: 'failures' | 'always';
  /** Counts the bindings even if the expression does not use their number. */
  readonly count?: boolean;
  /** The order of events (default `auto` over the session and the baseline). */
  readonly order?: OrderChoice;
  /** Called during a long search with the progress so far, in steps of the budget or events. */
  readonly onProgress?: OnProgress;
}
