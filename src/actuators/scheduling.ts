/** The lifecycle's clock. */
export interface Clock {
  /** Milliseconds on a monotonic clock, for spans of time. */
  now(): number;
  /** Milliseconds since 1970, for people to read. */
  date(): number;
  /** Calls `run` once after this many milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** Maximum delay of a Node timer. Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. Supports delays longer than Node's longest timer. */
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

/** Runs a limited number of tasks at a time. Other tasks wait for their turn, in order. */
export class Gate {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs a task when there is room, or when its signal is aborted. The task must check the signal.
   */
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

  /** Waits for room; false if the signal was aborted first. */
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

  /** Lets the next waiting task run, if any. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

/** The reason why a wait ends early. */
export type Interruption = 'timed-out' | 'aborted';

/** Waits for a promise until a time limit is up or a signal is aborted. */
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
