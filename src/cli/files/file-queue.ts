/** Files taken at a time: few enough that threads end together, enough that they seldom wait. */
const BATCH = 16;

/** Hands out the indexes of files, each once, to threads that share its memory. */
export class FileQueue {
  readonly #next: Int32Array;
  readonly #total: number;

  /** @param memory of `FileQueue.memory()`, the same in each thread */
  constructor(memory: SharedArrayBuffer, total: number) {
    this.#next = new Int32Array(memory);
    this.#total = total;
  }

  /** What the threads share. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** The next indexes, in order; nothing when all have been handed out. */
  take(): { readonly start: number; readonly end: number } | undefined {
    const start = Atomics.add(this.#next, 0, BATCH);
    return start < this.#total ? { start, end: Math.min(start + BATCH, this.#total) } : undefined;
  }
}
