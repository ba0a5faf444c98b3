/** Reasons why a mutation may end without a reset by its run. */
export const END_CAUSES = ['expired', 'reset', 'replaced', 'undone', 'orphaned', 'gone'] as const;

export type EndCause = (typeof END_CAUSES)[number];

/** A mutation that ended without a request from its run. */
export interface EndedMutation {
  /** The mutation's UUID. */
  readonly mutation: string;
  /** The time at which the mutation ended, in milliseconds since 1970 by the server's clock. */
  readonly time: number;
  /**
   * The reason why the mutation ended. `expired`: the mutation reached its maximum duration. `reset` and `replaced`:
   * another client reset or replaced the mutation. `undone`: the injection failed. `orphaned`: the server lost contact
   * with the run. `gone`: before the reset, the system had already removed the mutated object.
   */
  readonly cause: EndCause;
}

/** Maximum number of mutations in a header value. */
export const MAX_ENDED_MUTATIONS = 32;

/** Formats a header value that lists mutations by their UUID, time and cause. */
export function writeEndedMutations(mutations: readonly EndedMutation[]): string {
  return mutations
    .map(({ mutation, time, cause }) => `${mutation} ${new Date(time).toISOString()} ${cause}`)
    .join(', ');
}

/** Parses a header value from `writeEndedMutations`. Skips malformed mutations. */
export function readEndedMutations(text: string): readonly EndedMutation[] {
  return text.split(', ').flatMap((entry) => {
    const [mutation = '', date = '', word] = entry.split(' ');
    const time = Date.parse(date);
    const cause = END_CAUSES.find((candidate) => candidate === word);
    return cause === undefined || Number.isNaN(time) ? [] : [{ mutation, time, cause }];
  });
}
