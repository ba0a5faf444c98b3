import type { Evaluation } from '../../evaluation/index.js';
import type { Markup } from '../../report/index.js';

export type Outcome = 'passed' | 'failed' | 'undecided';

/** A measurement of an objective, applied to one session. */
export interface Measured {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly evaluation: Evaluation;
  /** The first binding of the evidence as it is drawn; absent where there is none to draw. */
  readonly diagram?: string;
  /** The same for a report; absent where none is asked for. */
  readonly picture?: Markup;
}

/** Whether a measurement came out as the objective expects it. */
export function outcomeOf({ shouldPass, evaluation }: Measured): Outcome {
  if (evaluation.status === 'undecided') return 'undecided';
  return (evaluation.status === 'holds') === shouldPass ? 'passed' : 'failed';
}

/** The outcome of several together: a failure is certain, however the undecided would turn out. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.includes('undecided') ? 'undecided' : 'passed';
}

/** An objective, applied to one session. */
export interface SessionVerdict {
  /** The session as it was named. */
  readonly session: string;
  readonly measurements: readonly Measured[];
  /** Why the session cannot be read, a line each; then there are no measurements. */
  readonly unread?: readonly string[];
}
