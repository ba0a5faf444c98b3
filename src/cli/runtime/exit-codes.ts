/** How a run of the program ends. The README's table says the same, and a test compares them. */
export const exitCodes = {
  /** Done; lint found nothing at error level, and warnings within `--max-warnings`. */
  ok: 0,
  /** Lint found errors, or more warnings than allowed; `create` rejected; a reset failed in the end. */
  findings: 1,
  /** Bad flags, arguments or configuration; no file matched; a file cannot be read. */
  usage: 2,
  /** A bug in Perturb. */
  internal: 3,
  /** A store, a mutator server or a port that was asked for cannot be used. */
  unavailable: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
