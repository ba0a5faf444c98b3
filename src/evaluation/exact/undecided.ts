import { exitCodes, PerturbError } from '../../basics/index.js';

/**
 * The error for a question without an exact answer, with the reason. The evaluation catches the error and continues
 * without the answer.
 */
export class Undecided extends PerturbError<'undecided'> {
  /** Advice on how to get a verdict. */
  declare readonly help: string;

  constructor(
    /** The undecided part of the expression. */
    readonly clause: string,
    /** The reason for the missing answer. */
    message: string,
    help: string,
  ) {
    super('undecided', message, exitCodes.unavailable, help);
  }
}

/** Returns the result of a computation; undefined if the computation throws `Undecided`. */
export function unlessUndecided<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/**
 * Returns a function that runs a computation on its first call. Later calls return the same value or throw the same
 * error.
 */
export function memoize<Value>(work: () => Value): () => Value {
  let outcome: { readonly value: Value } | { readonly error: unknown } | undefined;
  return () => {
    if (outcome === undefined) {
      try {
        outcome = { value: work() };
      } catch (error) {
        outcome = { error };
      }
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}
