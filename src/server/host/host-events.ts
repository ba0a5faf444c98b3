/** Why a mutator is reset. */
export type ResetCause =
  | 'request'
  | 'failed-injection'
  | 'expiry'
  | 'retry'
  | 'shutdown'
  | 'recovery';

/** What happens to the mutators of a host: for logs and metrics. `id` is the mutator's. */
export type HostEvent = { readonly id: string } & (
  | { readonly kind: 'injected'; readonly mutation: string; readonly ms: number }
  /** It is reset next. */
  | {
      readonly kind: 'inject-failed';
      readonly mutation: string;
      readonly ms: number;
      readonly reason: string;
      /** It may still take effect, for so long as far as is known, and is reset again until then. */
      readonly lateMs?: number;
    }
  | { readonly kind: 'reset'; readonly cause: ResetCause; readonly ms: number }
  | {
      readonly kind: 'reset-failed';
      readonly cause: ResetCause;
      readonly ms: number;
      readonly reason: string;
      /** When it is tried again; absent when it was given up: `adviceFor` says what to do then. */
      readonly retryInMs?: number;
    }
  /** The params do not fit; nothing was injected. */
  | { readonly kind: 'refused'; readonly mutation: string; readonly reasons: readonly string[] }
  /** Too many operations wait. */
  | { readonly kind: 'busy'; readonly operation: 'inject' | 'reset'; readonly waiting: number }
  /** The journal cannot be written: nothing is injected, or the next start resets once more. */
  | { readonly kind: 'record-failed'; readonly reason: string }
  /** A mutator that the manifest no longer has is not reset any more. */
  | { readonly kind: 'forgotten' }
);

/** Receives each event as it happens. */
export type HostEvents = (event: HostEvent) => void;
