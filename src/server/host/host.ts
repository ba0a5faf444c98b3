/*
 * Outcomes of requests: the interface between the server's HTTP side and its lifecycle. The HTTP side turns outcomes
 * into statuses. The lifecycle does not depend on HTTP.
 */

/** The outcome of an injection. Reasons are only logged, never sent to the client. */
export type InjectOutcome =
  | { readonly kind: 'injected' }
  | { readonly kind: 'not-found' }
  /** The mutator does not accept the parameters. Nothing was injected. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  /** The actuator failed or timed out. The mutator was reset, or its reset is being retried. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Too many operations are waiting for this mutator. */
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

/** Options for a reset. */
export interface ResetRequest {
  /** True to stop injections into all mutators first, false to allow them again. */
  readonly hold?: boolean | undefined;
  /** True to count the mutator as reset even if the reset fails. */
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

/** A run's mutation that is or may be active. */
export interface OwnedMutation {
  readonly mutation: string;
  readonly run: string;
}

/** A mutator event, without the mutator's id. */
export type MutatorEvent =
  | {
      readonly kind: 'injected';
      readonly mutation: string;
      readonly ms: number;
      /** Another client's mutation, which the injection replaced. */
      readonly replaced?: OwnedMutation;
    }
  /** A reset follows. */
  | {
      readonly kind: 'inject-failed';
      readonly mutation: string;
      readonly ms: number;
      readonly reason: string;
      /**
       * Time in milliseconds during which the injection may still take effect, if known. The mutator is reset again
       * until then.
       */
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
      /** Time in milliseconds until the retry; absent if no retry follows. */
      readonly retryInMs?: number;
    }
  /** The mutator does not accept the parameters. Nothing was injected. */
  | { readonly kind: 'refused'; readonly mutation: string; readonly reasons: readonly string[] }
  /** Too many operations are waiting. */
  | { readonly kind: 'busy'; readonly operation: 'inject' | 'reset'; readonly waiting: number }
  /** The journal is not writable, which prevents an injection or causes one more reset at the next start. */
  | { readonly kind: 'record-failed'; readonly reason: string }
  /** The server no longer resets a mutator that the manifest no longer has. */
  | { readonly kind: 'forgotten' };

/** An event from one of a host's mutators, for logs. `id` is the mutator's id. */
export type HostEvent = MutatorEvent & { readonly id: string };

/** Receives each event immediately. */
export type HostEventListener = (event: HostEvent) => void;
