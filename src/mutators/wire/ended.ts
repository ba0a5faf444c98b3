/** The reasons for the end of a mutation that its run has not reset. */
export const END_CAUSES = ['expired', 'reset', 'replaced', 'undone', 'orphaned', 'gone'] as const;

export type EndCause = (typeof END_CAUSES)[number];

/** A mutation that ended without its run. */
export interface EndedMutation {
  /** Its UUID. */
  readonly mutation: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time: number;
  /**
   * The reason for the end. `reset` and `replaced`: by another client; `undone`: the injection
   * failed; `orphaned`: the server had lost contact with the run; `gone`: on reset, the system had
   * already removed the mutated object.
   */
  readonly cause: EndCause;
}

/** Maximum number of mutations in a header. */
export const MAX_ENDED_MUTATIONS = 32;

/** Writes the value of a header that lists mutations: UUID, time and cause of each. */
export function writeEnded(mutations: readonly EndedMutation[]): string {
  return mutations
    .map(({ mutation, time, cause }) => `${mutation} ${new Date(time).toISOString()} ${cause}`)
    .join(', ');
}

/** Parses the output of `writeEnded`, and skips malformed mutations. */
export function readEnded(text: string): readonly EndedMutation[] {
  return text.split(', ').flatMap((entry) => {
    const [mutation = '', date = '', word] = entry.split(' ');
    const time = Date.parse(date);
    const cause = END_CAUSES.find((candidate) => candidate === word);
    return cause === undefined || Number.isNaN(time) ? [] : [{ mutation, time, cause }];
  });
}
