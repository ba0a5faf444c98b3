/* The states of a mutator, and what can be read off them. */

/**
 * An injection was given up that may still take effect: a request that the
 * system works on, say. Until a time of the clock a reset is not the last one.
 */
export interface Doubt {
  readonly until: number;
  /** How many resets have been done meanwhile. */
  readonly resets: number;
}

/** Nothing is being done, and the next operation may begin. */
export type Rest =
  | { readonly kind: 'idle' }
  /** A mutation is in force since that time of the clock. */
  | { readonly kind: 'active'; readonly since: number; readonly doubt?: Doubt }
  /**
   * A mutation may be in force: so many resets in a row have failed, none was
   * tried since a crash, or there is doubt.
   */
  | {
      readonly kind: 'maybe-active';
      readonly failures: number;
      readonly reason: string;
      readonly doubt?: Doubt;
    };

/** Something is being done: what its name says. */
export type Busy =
  /** The journal is told, before the system is touched. */
  | { readonly kind: 'recording'; readonly next: 'inject' | 'reset'; readonly from: Rest }
  | { readonly kind: 'injecting'; readonly doubt?: Doubt }
  | {
      readonly kind: 'resetting';
      readonly failures: number;
      /** Why the injection failed, where that is why it is reset. */
      readonly cause?: string;
      readonly doubt?: Doubt;
      /** Whether it ends a doubt whose time is over. */
      readonly isLast: boolean;
    }
  /** The journal is told that there is nothing more to reset. */
  | { readonly kind: 'clearing'; readonly cause?: string };

export type State = Rest | Busy;

/** Why a mutator that is in a state may be left mutated when nothing more is done; else undefined. */
export function residueOf(state: State): string | undefined {
  switch (state.kind) {
    case 'idle':
    case 'clearing':
      return undefined;
    case 'active':
      return 'it was not reset';
    case 'maybe-active':
      return state.reason;
    case 'recording':
      return residueOf(state.from);
    case 'injecting':
      return 'its injection has not ended';
    case 'resetting':
      return 'its reset has not ended';
  }
}

/** How many resets in a row have failed. */
export function failuresOf(state: State): number {
  switch (state.kind) {
    case 'maybe-active':
    case 'resetting':
      return state.failures;
    case 'recording':
      return failuresOf(state.from);
    default:
      return 0;
  }
}
