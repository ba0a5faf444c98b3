import { Worker } from 'node:worker_threads';

/** A module's file, and the environment that its code can read. */
interface ModuleSource {
  /** A file URL. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A call to a module's function for a mutator. */
export interface ModuleCall {
  readonly mutator: string;
  readonly name: 'inject' | 'reset';
  readonly args: readonly unknown[];
}

/** A thread's reply. */
export type Reply =
  /** The result of loading, with the names of functions missing from the module's exports. */
  | { readonly kind: 'loaded'; readonly missing: readonly string[] }
  | { readonly kind: 'returned' }
  | { readonly kind: 'failed'; readonly error: string }
  /** The end of the thread, due to an exception, an exit, or a call to `end`. */
  | { readonly kind: 'ended'; readonly error: string; readonly by: 'itself' | 'us' };

/*
 * The thread's program, a string because a bundle has no separate file for it. Loads a module instance for each
 * mutator, because instances must not share variables, and calls the instance's functions. Truncates a long error
 * between words, because the log would not recognize a partial secret.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const describe = (error) => (error instanceof Error ? error.name + ': ' + error.message : String(error));
const shorten = (text) => (text.length > 2000 ? text.slice(0, 2000).replace(/\\S{0,1024}$/, '') : text);
const answer = async ({ mutator, name, args }) => {
  const module = await import(workerData.url + '?mutator=' + encodeURIComponent(mutator));
  const missing = ['inject', 'reset'].filter((one) => typeof module[one] !== 'function');
  if (name === undefined) return { kind: 'loaded', missing };
  await module[name](...args);
  return { kind: 'returned' };
};
parentPort.on('message', async ({ id, ...question }) => {
  const fail = (error) => ({ kind: 'failed', error: shorten(describe(error)) });
  parentPort.postMessage({ id, reply: await answer(question).catch(fail) });
});
`;

/** A thread that runs a user's module. An idle thread does not keep the process alive. */
export class ModuleThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #instances = new Map<string, Promise<Reply>>();
  #callCount = 0;
  #end: Reply | undefined;
  #termination: Promise<unknown> | undefined;

  constructor({ url, environment }: ModuleSource) {
    const env = Object.entries(environment).filter(([, value]) => value !== undefined);
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      env: Object.fromEntries(env),
      workerData: { url },
    });
    this.#worker.unref();
    let error = 'its thread exited';
    this.#worker.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      this.#settle(id, reply);
    });
    this.#worker.on('error', (exception) => {
      error = String(exception);
    });
    this.#worker.on('exit', () => this.#finish(error, 'itself'));
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Loads a mutator's instance, at most once. */
  load(mutator: string): Promise<Reply> {
    const instance = this.#instances.get(mutator) ?? this.#send({ mutator });
    this.#instances.set(mutator, instance);
    return instance;
  }

  /** Calls a function of a mutator's instance. */
  call(call: ModuleCall): Promise<Reply> {
    return this.#send(call);
  }

  /** Ends the thread, even during a call. */
  async end(): Promise<void> {
    this.#finish('its thread was terminated because a call timed out', 'us');
    // Called only once, because Node adds a listener for each call.
    this.#termination ??= this.#worker.terminate();
    await this.#termination;
  }

  #send(question: Partial<ModuleCall>): Promise<Reply> {
    if (this.#end !== undefined) return Promise.resolve(this.#end);
    const id = this.#callCount++;
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, ...question });
    });
  }

  #settle(id: number, reply: Reply): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #finish(error: string, terminator: 'itself' | 'us'): void {
    this.#end ??= { kind: 'ended', error, by: terminator };
    for (const id of [...this.#waiting.keys()]) this.#settle(id, this.#end);
  }
}

/** Module threads. Mutators with the same file share a thread, because each thread takes many megabytes. */
export class ModuleThreads {
  readonly #threads = new Map<string, ModuleThread>();

  /** Returns a file's current thread. Starts a thread on first use, and after the last thread has ended. */
  current(source: ModuleSource): ModuleThread {
    const key = keyOf(source);
    const currentThread = this.#threads.get(key);
    if (currentThread !== undefined && !currentThread.hasEnded) return currentThread;
    const thread = new ModuleThread(source);
    this.#threads.set(key, thread);
    return thread;
  }

  /** Ends a file's thread, even during a call. */
  async end(source: ModuleSource): Promise<void> {
    await this.#threads.get(keyOf(source))?.end();
  }
}

function keyOf({ url, environment }: ModuleSource): string {
  return JSON.stringify([url, Object.entries(environment).sort()]);
}
