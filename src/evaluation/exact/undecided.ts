/** Thrown rather than give a wrong answer: says why there is none. */
export class Undecided extends Error {
  constructor(
    /** The part of the expression that forces bindings to be tried one by one. */
    readonly clause: string,
    /** What happened. */
    message: string,
    /** What would help. */
    readonly help: string,
  ) {
    super(message);
  }
}

/** The result of some work, or why there is no answer. */
export function orUndecided<Value>(work: () => Value): Value | Undecided {
  try {
    return work();
  } catch (error) {
    if (error instanceof Undecided) return error;
    throw error;
  }
}
