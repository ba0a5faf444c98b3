/*
 * The seam between the HTTP side of the server and its lifecycle: how what a
 * request asks for ends. The HTTP side turns outcomes into statuses; the lifecycle knows
 * nothing of HTTP.
 */

/** How an injection ended. Reasons are for the log, never for the answer. */
export type InjectOutcome =
  | { readonly kind: 'injected' }
  | { readonly kind: 'not-found' }
  /** The params do not fit the mutator; nothing was injected. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  /** The actuator failed or timed out; the mutator was reset, or that is being retried. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Too many operations wait for this mutator. */
  | { readonly kind: 'busy' }
  /** The server is shutting down and takes no more work. */
  | { readonly kind: 'closing' }
  /** Injections are stopped. */
  | { readonly kind: 'held'; readonly reason: string };

/** How a reset ended. */
export type ResetOutcome =
  | Exclude<InjectOutcome, { kind: 'injected' | 'refused' | 'held' }>
  | { readonly kind: 'reset' }
  /** It could not be reset, and counts as reset nevertheless, as was asked for; `left` is what it left behind. */
  | { readonly kind: 'forgotten'; readonly left: string };

/** What is asked for with a reset. */
export interface ResetRequest {
  /** Whether to first stop injections into all mutators, or to admit them again. */
  readonly hold?: boolean | undefined;
  /** Whether the mutator counts as reset even if that fails. */
  readonly forget?: boolean | undefined;
  /** The run that asks, if one does. */
  readonly run?: string | undefined;
}

/** Why a mutator is reset. */
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

/** What happens to a mutator. */
export type MutatorEvent =
  | {
      readonly kind: 'injected';
      readonly mutation: string;
      readonly ms: number;
      /** The mutation of another client that it takes the place of. */
      readonly replaced?: OwnedMutation;
    }
  /** It is reset next. */
  | {
      readonly kind: 'inject-failed';
      readonly mutation: string;
      readonly ms: number;
      readonly reason: string;
      /** For how long it may still take effect, as far as is known; it is reset again until then. */
      readonly lateMs?: number;
    }
  | {
      readonly kind: 'reset';
      readonly cause: ResetCause;
      readonly ms: number;
      readonly owned?: OwnedMutation;
      /** What the system had removed meanwhile, in words. */
      readonly gone?: string;
    }
  | {
      readonly kind: 'reset-failed';
      readonly cause: ResetCause;
      readonly ms: number;
      readonly reason: string;
      readonly owned?: OwnedMutation;
      /** When it is tried again; absent when it was given up. */
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

/** What happens to the mutators of a host: for logs. `id` is the mutator's. */
export type HostEvent = MutatorEvent & { readonly id: string };

/** Receives each event as it happens. */
export type HostEvents = (event: HostEvent) => void;
