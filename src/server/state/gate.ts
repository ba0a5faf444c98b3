/** Lets so many pieces of work run at a time; the others wait for their turn, in order. */
export class Gate {
  readonly #most: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  #first = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs work when there is room.
   *
   * @param signal when it is aborted before the work has begun, `refuse` makes what to throw
   */
  async run<T>(
    work: () => Promise<T>,
    signal?: AbortSignal,
    refuse: () => Error = () => new Error('aborted'),
  ): Promise<T> {
    if (this.#running >= this.#most) await this.#turn(signal, refuse);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #turn(signal: AbortSignal | undefined, refuse: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false;
      const abort = () => {
        over = true;
        reject(refuse());
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(() => {
        signal?.removeEventListener('abort', abort);
        // Nobody is there to take the turn any more.
        if (over) this.#leave();
        else resolve();
      });
    });
  }

  /** Hands the room on to the next, if there is one. */
  #leave(): void {
    const next = this.#waiting[this.#first];
    if (next === undefined) {
      this.#waiting = [];
      this.#first = 0;
      this.#running -= 1;
      return;
    }
    this.#first += 1;
    next();
  }
}
