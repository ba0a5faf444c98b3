import { Script } from 'node:vm';
import { exitCodes, PerturbError } from '../../basics/index.js';
import { codeOf } from '../../durable/index.js';

/* Signal handlers cannot run during a long evaluation, but Ctrl-C can end a `vm` script. */

const WORK = Symbol.for('perturb.work');
const CALL = new Script(`globalThis[Symbol.for('perturb.work')]()`);

/** The error for work interrupted with Ctrl-C. The SIGINT handlers have already run. */
export class InterruptedError extends PerturbError<'interrupted'> {
  constructor() {
    super('interrupted', 'Ctrl-C interrupted an evaluation', exitCodes.unavailable);
  }
}

/** Runs long work that Ctrl-C can interrupt. Throws an InterruptedError on Ctrl-C. */
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
    throw new InterruptedError();
  } finally {
    Reflect.deleteProperty(globalThis, WORK);
  }
  return (result as unknown as { readonly value: T }).value;
}
