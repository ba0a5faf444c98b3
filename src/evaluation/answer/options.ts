import type { Session } from '../../session/index.js';
import type { OrderChoice } from '../clocks/order-choice.js';
import type { ProgressCallback } from '../methods/problem.js';

export interface EvaluateOptions {
  /** Maximum number of steps for enumerating bindings (default 100 million). */
  readonly budget?: number;
  /** Maximum number of bindings to return as evidence if no measure requires specific bindings (default 0). */
  readonly evidence?: number;
  /**
   * The expected status. Evidence for this status omits explanations that need further searches. By default, every
   * status is explained.
   */
  readonly expects?: 'holds' | 'fails';
  /** The baseline sessions. Without baseline sessions, a measure that uses `baseline` is undecided. */
  readonly baseline?: readonly Session[];
  /**
   * Names of events and attributes that a passing session may lack. A pattern that requires only such names may match
   * nothing, and such an attribute may be missing.
   */
  readonly expected?: readonly string[];
  /**
   * When to search for near misses as evidence: after an unexpected result, or also after a pass without bindings
   * (`always`). Default: never.
   */
  readonly nearMisses?: 'failures' | 'always';
  /** Counts the bindings even if the expression does not use their number. */
  readonly count?: boolean;
  /** The order of events (default `auto` over the session and the baseline). */
  readonly order?: OrderChoice;
  /** Called during a long search with the progress so far, in budget steps or in events. */
  readonly onProgress?: ProgressCallback;
}
