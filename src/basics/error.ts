/** The program's exit codes. A test compares them with docs/exit-codes.md. */
export const exitCodes = {
  /** Success: lint found no errors, and no more warnings than `--max-warnings`. */
  ok: 0,
  /**
   * Lint found errors or too many warnings; something was rejected or failed; a mutator may be left
   * mutated.
   */
  findings: 1,
  /** Bad flags, arguments or configuration; no file matched; a file cannot be read. */
  usage: 2,
  internal: 3,
  /** A store, server, port or directory cannot be used; or nothing could be decided. */
  unavailable: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that is not a bug: a message for people and the exit code of the command it ends. */
export class PerturbError<Code extends string = string> extends Error {
  override readonly name = 'PerturbError';

  /** @param help the remedy, printed on its own line */
  constructor(
    readonly code: Code,
    message: string,
    readonly exitCode: ExitCode,
    readonly help?: string,
  ) {
    super(message);
  }
}
