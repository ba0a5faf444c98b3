import type { Binding, Evaluation } from '../../evaluation/index.js';
import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import type { EngineFlags } from '../session/engine.js';
import type { SourceFlags } from '../session/read-source.js';
import type { BudgetFlags } from './search-options.js';

/** What evaluates expressions over the sessions that a command names. */
export interface Engine {
  /** Finds a session by what the user wrote; what is wrong with it also goes to stderr. */
  open(word: string): Promise<Recording | Unread>;
}

/** A session, where its engine has it. */
export interface Recording {
  /**
   * @param evidence how many bindings to show where no measure asks for an extreme
   * @param onProgress called during a long search with how much is done
   */
  evaluate(
    expression: Expression,
    evidence: number,
    onProgress: (done: number, total: number) => void,
  ): Promise<Evaluation>;
  /** The first bindings; undefined where they are not known within the budget. */
  bindings(expression: Expression, limit: number): Promise<readonly Binding[] | undefined>;
  /** Absent where the events are on a server. */
  readonly session?: Session;
}

/** Why a session cannot be read, a line each. */
export interface Unread {
  readonly unread: readonly string[];
}

/** The flags that say how sessions are found and evaluated. */
export interface EvaluateFlags extends EngineFlags, BudgetFlags, SourceFlags {}
