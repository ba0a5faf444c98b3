import { ModuleThread, type Reply } from './module-thread.js';

/** A file of a module, and what its code may see of the environment. */
export interface ModuleSource {
  /** A file URL. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The function of a module to call for a mutator. */
export interface ModuleCall {
  readonly mutator: string;
  readonly name: 'inject' | 'reset';
  readonly args: readonly unknown[];
}

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

export type { Reply };
