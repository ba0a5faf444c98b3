import { Script } from 'node:vm';
import { exitCodes, PerturbError } from '../../basics/index.js';
import { codeOf } from '../../durable/index.js';

/*
 * An evaluation may take a long time, and no signal handler runs while it does. But Ctrl-C can end what
 * a script does.
 */

const WORK = Symbol.for('perturb.work');
const CALL = new Script(`globalThis[Symbol.for('perturb.work')]()`);

/** Ctrl-C has ended a piece of work; the handlers of SIGINT were called. */
export class Interrupted extends PerturbError<'interrupted'> {
  constructor() {
    super('interrupted', 'Ctrl-C ended an evaluation', exitCodes.unavailable);
  }
}

/** Does work, however long it takes, unless Ctrl-C ends it: then it throws Interrupted. */
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
