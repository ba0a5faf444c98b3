import { Script } from 'node:vm';
import { codeOf } from '../../durable/index.js';

/*
 * An evaluation may take long, and while it goes on no handler of a signal runs. But what a script does
 * can be ended by Ctrl-C.
 */

const WORK = Symbol.for('perturb.work');
const CALL = new Script(`globalThis[Symbol.for('perturb.work')]()`);

/** Ctrl-C has ended a piece of work; the handlers of SIGINT were called. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Does work that takes as long as it takes, unless Ctrl-C ends it. Throws Interrupted then. */
export function interruptible<T>(work: () => T): T {
  let done: { readonly value: T } | undefined;
  Object.assign(globalThis, {
    [WORK]: () => {
      done = { value: work() };
    },
  });
  try {
    CALL.runInThisContext({ breakOnSigint: true });
  } catch (error) {
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error;
    process.emit('SIGINT', 'SIGINT');
    throw new Interrupted();
  } finally {
    Reflect.deleteProperty(globalThis, WORK);
  }
  return (done as unknown as { readonly value: T }).value;
}
