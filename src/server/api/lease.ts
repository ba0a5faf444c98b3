import { type Clock, systemClock } from '../../actuators/acting/index.js';

/*
 * The lease: one run at a time mutates a server. The requests of a run name it in a header: the first one takes the
 * lease, each one renews it, and one with "end" releases it.
 */

/** Time after its last request until a run's lease expires. */
const LEASE_MS = 30_000;

/** A run's name, and "end" with its last request. */
export const RUN_FORM = /^([\w-]{1,64})(; *end)?$/;

/** Returns the run that a header names; undefined if it names none. */
export function parseRun(header: string | undefined): string | undefined {
  return RUN_FORM.exec(header ?? '')?.[1];
}

interface Lease {
  readonly run: string;
  /** The time at which the run took the lease, in milliseconds since 1970. */
  readonly since: number;
  /** The time at which the lease expires, by this process's clock. */
  readonly until: number;
}

export interface LeaseOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Called when a run that has had the lease sends no request for `afterMs` milliseconds. */
  readonly onSilence?: { readonly afterMs: number; readonly call: (run: string) => void };
}

/** The lease of a server. */
export class RunLease {
  #lease: Lease | undefined;
  readonly #clock: Clock;
  readonly #onMissed: LeaseOptions['onSilence'];
  /** Cancels the alarm of each run that has had the lease and has not released it. */
  readonly #alarms = new Map<string, () => void>();

  constructor({ clock = systemClock, onSilence }: LeaseOptions = {}) {
    this.#clock = clock;
    this.#onMissed = onSilence;
  }

  /**
   * Records a request.
   *
   * @param header the run header's value; undefined for a request without a run, which does not take the lease
   * @returns the time since which another run has the lease, in milliseconds since 1970; undefined if none has
   */
  take(header: string | undefined): number | undefined {
    const [, run, end] = RUN_FORM.exec(header ?? '') ?? [];
    if (run === undefined) return undefined;
    const now = this.#clock.now();
    const currentLease =
      this.#lease !== undefined && this.#lease.until > now ? this.#lease : undefined;
    const isOtherRun = currentLease !== undefined && currentLease.run !== run;
    // A run that lost the lease while it slept may still have something in force.
    if (!isOtherRun || this.#alarms.has(run)) this.#setAlarm(run, end !== undefined);
    if (isOtherRun) return currentLease.since;
    this.#lease =
      end === undefined
        ? { run, since: currentLease?.since ?? this.#clock.date(), until: now + LEASE_MS }
        : undefined;
    return undefined;
  }

  /** Cancels all alarms. */
  close(): void {
    for (const cancel of this.#alarms.values()) cancel();
    this.#alarms.clear();
  }

  #setAlarm(run: string, hasEnded: boolean): void {
    this.#alarms.get(run)?.();
    this.#alarms.delete(run);
    if (hasEnded || this.#onMissed === undefined) return;
    const { afterMs, call } = this.#onMissed;
    const expire = () => {
      this.#alarms.delete(run);
      call(run);
    };
    this.#alarms.set(run, this.#clock.after(afterMs, expire));
  }
}
