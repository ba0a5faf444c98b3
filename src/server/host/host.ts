import type { ManifestMutator, Mutation } from '../../mutators/index.js';

/*
 * The seam between the HTTP side of the server and its lifecycle: what a
 * request may ask, and how that ends. The HTTP side turns outcomes into
 * statuses; the lifecycle knows nothing of HTTP.
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
  /** The server is on its way out and takes no more work. */
  | { readonly kind: 'closing' };

/** How a reset ended. */
export type ResetOutcome =
  | Exclude<InjectOutcome, { kind: 'injected' | 'refused' }>
  | {
      readonly kind: 'reset';
    };

/** The mutators of a running server, and what may be done with them. */
export interface MutatorHost {
  /** Sorted by id (code points). */
  readonly mutators: readonly ManifestMutator[];
  /** Injects once the operations before it on the same mutator have ended. Never rejects. */
  inject(id: string, mutation: Mutation): Promise<InjectOutcome>;
  /** Resets all mutations of a mutator, in its turn; also one that is not active. Never rejects. */
  reset(id: string): Promise<ResetOutcome>;
}
