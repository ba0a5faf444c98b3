import { type Clock, systemClock } from '../../actuators/acting/index.js';

/*
 * Only one run at a time may mutate a server. A run identifies itself in a request header. The first request acquires
 * the lease, each further request renews the lease, and a request with "end" releases the lease.
 */

/** Time from a run's last request until its lease expires. */
const LEASE_MS = 30_000;

/** Matches a run header's value: the run's name, followed by "end" in the run's last request. */
export const RUN_HEADER_PATTERN = /^([\w-]{1,64})(; *end)?$/;

/** Returns the run's name in a header value; undefined for a missing or malformed value. */
export function parseRun(header: string | undefined): string | undefined {
  return RUN_HEADER_PATTERN.exec(header ?? '')?.[1];
}

interface Lease {
  readonly run: string;
  /** The time at which the run acquired the lease, in milliseconds since 1970. */
  readonly since: number;
  /** The time at which the lease expires, by this process's clock. */
  readonly until: number;
}

export interface LeaseOptions {
  /** The clock (default: the machine's). */
  readonly clock?: Clock;
  /** Calls `call` for a run that has held the lease but sends no request for `afterMs` milliseconds. */
  readonly onSilence?: { readonly afterMs: number; readonly call: (run: string) => void };
}

/** A server's lease, held by one run at a time. */
export class RunLease {
  #lease: Lease | undefined;
  readonly #clock: Clock;
  readonly #onMissed: LeaseOptions['onSilence'];
  /** Functions that cancel alarms, by run. A run has an alarm from acquiring until releasing the lease. */
  readonly #alarms = new Map<string, () => void>();

  constructor({ clock = systemClock, onSilence }: LeaseOptions = {}) {
    this.#clock = clock;
    this.#onMissed = onSilence;
  }

  /**
   * Records a request.
   *
   * @param header the run header's value; undefined for a request without a run, which does not acquire the lease
   * @returns the time at which another run acquired the lease, in milliseconds since 1970; undefined if no other run
   * holds the lease
   */
  take(header: string | undefined): number | undefined {
    const [, run, end] = RUN_HEADER_PATTERN.exec(header ?? '') ?? [];
    if (run === undefined) return undefined;
    const now = this.#clock.now();
    const currentLease =
      this.#lease !== undefined && this.#lease.until > now ? this.#lease : undefined;
    const isOtherRun = currentLease !== undefined && currentLease.run !== run;
    // A run that lost the lease while it was suspended may still have active mutations.
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
