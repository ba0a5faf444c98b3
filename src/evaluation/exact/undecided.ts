/** Why there is no answer: never a wrong one. */
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
