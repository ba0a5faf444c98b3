/*
 * A session as plain as can be, for the oracle: what it says comes from the spec alone, and
 * shares nothing with the engine.
 */

/** A bigint is an integer, a number a float; `other` compares for equality alone. */
export type Value = bigint | number | string | boolean | { readonly other: string };

export interface PlainEvent {
  readonly probe: string;
  /** Absent in a session without timelines, and on a timeline without a name. */
  readonly timeline?: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

export interface PlainSession {
  readonly probes: readonly string[];
  /** Those of a timeline in their order; of several in any. */
  readonly events: readonly PlainEvent[];
  /** Sender and receiver, as places in `events`. */
  readonly interactions: readonly (readonly [number, number])[];
}
