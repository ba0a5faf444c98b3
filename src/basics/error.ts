/** The program's exit codes. A test compares them with docs/exit-codes.md. */
export const exitCodes = {
  /** Success: lint found no errors, and no more warnings than `--max-warnings`. */
  ok: 0,
  /**
   * Lint found errors or too many warnings, an operation was rejected or failed, or a mutator may
   * still be active.
   */
  findings: 1,
  /** Invalid flags, arguments or configuration, no matching file, or an unreadable file. */
  usage: 2,
  internal: 3,
  /** An unavailable store, server, port or directory, or only inconclusive results. */
  unavailable: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An expected error, with a message for the user and the command's exit code. */
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
