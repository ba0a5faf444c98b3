/*
 * The interface between the server's HTTP side and its lifecycle: outcomes of requests. The HTTP side turns
 * outcomes into statuses; the lifecycle does not depend on HTTP.
 */

/** The outcome of an injection. Reasons are for the log, never for the answer. */
export type InjectOutcome =
  | { readonly kind: 'injected' }
  | { readonly kind: 'not-found' }
  /** The params do not fit the mutator; nothing was injected. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  /** The actuator failed or timed out. The mutator was reset, or its reset is being retried. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Too many operations wait for this mutator. */
  | { readonly kind: 'busy' }
  /** The server is shutting down and accepts no more work. */
  | { readonly kind: 'closing' }
  /** Injections are stopped. */
  | { readonly kind: 'held'; readonly reason: string };

/** The outcome of a reset. */
export type ResetOutcome =
  | Exclude<InjectOutcome, { kind: 'injected' | 'refused' | 'held' }>
  | { readonly kind: 'reset' }
  /** The reset failed but counts as successful, as requested. `left` describes the residue. */
  | { readonly kind: 'forgotten'; readonly left: string };

/** The options of a reset. */
export interface ResetRequest {
  /** True to first stop injections into all mutators, false to admit them again. */
  readonly hold?: boolean | undefined;
  /** True to count the mutator as reset even if that fails. */
  readonly forget?: boolean | undefined;
  /** The requesting run, if any. */
  readonly run?: string | undefined;
}

/** The reason for a reset. */
export type ResetCause =
  | 'request'
  | 'failed-injection'
  | 'expiry'
  | 'orphaned'
  | 'retry'
  | 'shutdown'
  | 'recovery';

/** The mutation of a run that is or may be in force. */
export interface OwnedMutation {
  readonly mutation: string;
  readonly run: string;
}

/** An event of a mutator. */
export type MutatorEvent =
  | {
      readonly kind: 'injected';
      readonly mutation: string;
      readonly ms: number;
      /** The replaced mutation of another client. */
      readonly replaced?: OwnedMutation;
    }
  /** A reset follows. */
  | {
      readonly kind: 'inject-failed';
      readonly mutation: string;
      readonly ms: number;
      readonly reason: string;
      /** Time during which the injection may still take effect, if known. The mutator is reset again until then. */
      readonly lateMs?: number;
    }
  | {
      readonly kind: 'reset';
      readonly cause: ResetCause;
      readonly ms: number;
      readonly owned?: OwnedMutation;
      /** A description of the mutated object, if the system had already removed it. */
      readonly gone?: string;
    }
  | {
      readonly kind: 'reset-failed';
      readonly cause: ResetCause;
      readonly ms: number;
      readonly reason: string;
      readonly owned?: OwnedMutation;
      /** The time until the next attempt; absent if abandoned. */
      readonly retryInMs?: number;
    }
  /** The params do not fit; nothing was injected. */
  | { readonly kind: 'refused'; readonly mutation: string; readonly reasons: readonly string[] }
  /** Too many operations wait. */
  | { readonly kind: 'busy'; readonly operation: 'inject' | 'reset'; readonly waiting: number }
  /** The journal cannot be written: nothing is injected, or the next start resets once more. */
  | { readonly kind: 'record-failed'; readonly reason: string }
  /** A mutator that the manifest no longer has is no longer reset. */
  | { readonly kind: 'forgotten' };

/** An event of a host's mutators, for logs. `id` is the mutator's. */
export type HostEvent = MutatorEvent & { readonly id: string };

/** Receives each event as it happens. */
export type HostEvents = (event: HostEvent) => void;
