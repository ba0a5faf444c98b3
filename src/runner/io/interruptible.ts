import { Script } from 'node:vm';
import { exitCodes, PerturbError } from '../../basics/index.js';
import { codeOf } from '../../durable/index.js';

/* An evaluation may take a long time, during which no signal handler runs. But Ctrl-C can end a `vm` script. */

const WORK = Symbol.for('perturb.work');
const CALL = new Script(`globalThis[Symbol.for('perturb.work')]()`);

/** The error for work that Ctrl-C has ended; the handlers of SIGINT were called. */
export class Interrupted extends PerturbError<'interrupted'> {
  constructor() {
    super('interrupted', 'Ctrl-C ended an evaluation', exitCodes.unavailable);
  }
}

/** Runs work of any duration. If Ctrl-C ends it, throws Interrupted. */
export function runInterruptibly<T>(work: () => T): T {
  let result: { readonly value: T } | undefined;
  Object.assign(globalThis, {
    [WORK]: () => {
      result = { value: work() };
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
  return (result as unknown as { readonly value: T }).value;
}
