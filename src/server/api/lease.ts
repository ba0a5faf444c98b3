/*
 * One run at a time mutates a server. The requests of a run name it in a header: the first one takes
 * the lease, each one renews it, and one with "end" gives it up.
 */

/** How long after its last request a run is taken to be gone. */
const LAPSE_MS = 30_000;

/** A run's name, and "end" with its last request. */
export const RUN_FORM = /^([\w-]{1,64})(; *end)?$/;

interface Lease {
  readonly run: string;
  /** When it was taken, in milliseconds since 1970. */
  readonly since: number;
  /** When it lapses, by the clock of this process. */
  readonly until: number;
}

/** The lease of a server. */
export class RunLease {
  #lease: Lease | undefined;
  readonly #now: () => number;

  /** @param now the clock of the process, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * A request has come.
   *
   * @param header what it says of its run; undefined for a request of no run, which takes nothing
   * @returns since when another run has the lease, in milliseconds since 1970; undefined if none has
   */
  take(header: string | undefined): number | undefined {
    const [, run, end] = RUN_FORM.exec(header ?? '') ?? [];
    if (run === undefined) return undefined;
    const now = this.#now();
    const held = this.#lease !== undefined && this.#lease.until > now ? this.#lease : undefined;
    if (held !== undefined && held.run !== run) return held.since;
    this.#lease =
      end === undefined
        ? { run, since: held?.since ?? Date.now(), until: now + LAPSE_MS }
        : undefined;
    return undefined;
  }
}
