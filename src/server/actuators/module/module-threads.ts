import { type ModuleSource, ModuleThread } from './module-thread.js';

/** The threads of modules: mutators of one file share one, for a thread takes many megabytes. */
export class ModuleThreads {
  readonly #threads = new Map<string, SharedThread>();

  /** The thread of a file, which is begun when it is first used. */
  get(source: ModuleSource): SharedThread {
    const key = JSON.stringify([source.url, Object.entries(source.environment).sort()]);
    const found = this.#threads.get(key) ?? new SharedThread(source);
    this.#threads.set(key, found);
    return found;
  }
}

/** A thread that is begun anew after it has ended. */
export class SharedThread {
  readonly #source: ModuleSource;
  #thread: ModuleThread | undefined;

  constructor(source: ModuleSource) {
    this.#source = source;
  }

  /** The thread that lives now. */
  current(): ModuleThread {
    if (this.#thread === undefined || this.#thread.hasEnded) {
      this.#thread = new ModuleThread(this.#source);
    }
    return this.#thread;
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    await this.#thread?.end();
  }
}
