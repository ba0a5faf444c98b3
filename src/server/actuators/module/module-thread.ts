import { Worker } from 'node:worker_threads';

/** A function of the module to call. */
export interface Call {
  readonly name: 'inject' | 'reset';
  readonly args: readonly unknown[];
}

/** What the thread says: once when the module is loaded, then once for each call. */
export type Reply =
  /** With the functions that the module does not export. */
  | { readonly kind: 'loaded'; readonly missing: readonly string[] }
  | { readonly kind: 'returned' }
  | { readonly kind: 'failed'; readonly error: string }
  /** The thread has ended, by something that was thrown in it or by itself. */
  | { readonly kind: 'ended'; readonly error: string };

/*
 * What runs in the thread. It is text because a bundle has no file of its own
 * for it. It loads the module, and then answers one call after another.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const describe = (error) => (error instanceof Error ? error.name + ': ' + error.message : String(error));
const reply = async (work) => {
  try { parentPort.postMessage(await work()); }
  catch (error) { parentPort.postMessage({ kind: 'failed', error: describe(error).slice(0, 2000) }); }
};
reply(async () => {
  const module = await import(workerData.url);
  parentPort.on('message', ({ name, args }) => reply(async () => {
    await module[name](...args);
    return { kind: 'returned' };
  }));
  const missing = ['inject', 'reset'].filter((name) => typeof module[name] !== 'function');
  return { kind: 'loaded', missing };
});
`;

/** A thread with a user's module. Nobody is kept from ending by one that has nothing to do. */
export class ModuleThread {
  /** How the loading of the module went. */
  readonly loaded: Promise<Reply>;
  readonly #worker: Worker;
  #resolve: ((reply: Reply) => void) | undefined;
  #ended: Reply | undefined;

  constructor(url: string, environment: Readonly<Record<string, string | undefined>>) {
    const env = Object.entries(environment).filter(([, value]) => value !== undefined);
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      env: Object.fromEntries(env),
      workerData: { url },
    });
    let error = 'it ended its thread';
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (thrown) => {
      error = String(thrown);
    });
    this.#worker.on('exit', () => {
      this.#ended = { kind: 'ended', error };
      this.#settle(this.#ended);
    });
    this.loaded = this.#reply();
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Calls a function of the module. One call at a time. */
  call(call: Call): Promise<Reply> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#worker.ref();
    const reply = this.#reply();
    this.#worker.postMessage(call);
    return reply;
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  #settle(reply: Reply): void {
    this.#worker.unref();
    this.#resolve?.(reply);
    this.#resolve = undefined;
  }
}
