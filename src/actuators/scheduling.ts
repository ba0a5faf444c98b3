/** A clock for durations, dates and timers. */
export interface Clock {
  /** Returns milliseconds on a monotonic clock, for measuring durations. */
  now(): number;
  /** Returns milliseconds since 1970, for display. */
  date(): number;
  /** Calls `run` once after a delay in milliseconds. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** Maximum delay of a Node timer. Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** This machine's clock. Supports delays longer than Node's longest timer. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (remainingMs: number): void => {
      const next = remainingMs > MAX_TIMER_MS ? () => wait(remainingMs - MAX_TIMER_MS) : run;
      timer = setTimeout(next, Math.min(Math.max(0, remainingMs), MAX_TIMER_MS));
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** A semaphore that limits parallel tasks. Further tasks wait in FIFO order. */
export class Semaphore {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs a task when a slot is free, or once its signal is aborted. The task must check the signal. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const hasEntered = this.#running < this.#limit ? this.#enter() : await this.#turn(signal);
    try {
      return await work();
    } finally {
      if (hasEntered) this.#leave();
    }
  }

  #enter(): true {
    this.#running += 1;
    return true;
  }

  /** Waits for a free slot. Returns false if the signal is aborted first. */
  #turn(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve(false);
      };
      const enter = () => {
        signal?.removeEventListener('abort', abort);
        resolve(true);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(enter);
    });
  }

  /** Passes the slot to the next waiting task, if any. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

/** The reason why a wait ends early. */
export type Interruption = 'timed-out' | 'aborted';

/** Waits for a promise, up to a timeout or until a signal is aborted. */
export function waitFor<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | Interruption> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return resolve('aborted');
    const abort = () => resolve('aborted');
    const disarm = systemClock.after(ms, () => resolve('timed-out'));
    signal?.addEventListener('abort', abort, { once: true });
    const settle = () => {
      disarm();
      signal?.removeEventListener('abort', abort);
    };
    work.then(resolve, reject).finally(settle);
  });
}
