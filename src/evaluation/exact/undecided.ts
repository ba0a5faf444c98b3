import { exitCodes, PerturbError } from '../../basics/index.js';

/**
 * The error for a question without an exact answer, with the reason. It travels as an exception, or a promise's
 * rejection, to where the evaluation continues without the answer.
 */
export class Undecided extends PerturbError<'undecided'> {
  /** Advice on how to get a verdict. */
  declare readonly help: string;

  constructor(
    /** The part of the expression that is undecided. */
    readonly clause: string,
    /** The reason. */
    message: string,
    help: string,
  ) {
    super('undecided', message, exitCodes.unavailable, help);
  }
}

/** Returns the result of some work, or undefined if it is undecided. */
export function unlessUndecided<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/** Returns a function that does the work when first called; later calls return or throw the same. */
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
