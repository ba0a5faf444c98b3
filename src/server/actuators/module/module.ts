import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quote } from '../../../diagnostics/index.js';
import type { AttributeValue, ModuleActuator, ParameterValues } from '../../../mutators/index.js';
import type { Actuator } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import type { ActuatorContext } from '../context.js';
import { type Call, ModuleThread, type Reply } from './module-thread.js';
import { waitFor } from './wait-for.js';

/**
 * Calls the functions of a user's ES module, in a thread of its own: only so
 * can a call that takes too long be ended, and not hold up the server. After
 * that the module is loaded anew. Rejects with an ActuatorError when it can't
 * be loaded, or is not such a module.
 */
export async function createModule(
  { path, timeoutMs }: ModuleActuator,
  context: ActuatorContext,
): Promise<Actuator> {
  const subject = `the module ${quote(path)}`;
  const { href } = pathToFileURL(resolve(context.directory, path));

  const stopped = (code: 'aborted' | 'timed-out') =>
    new ActuatorError(code, subject, `${timeoutMs} ms`);

  /** Waits for a reply of a thread, which is ended when there is none in time. */
  async function inTime(thread: ModuleThread, reply: Promise<Reply>, signal?: AbortSignal) {
    const got = await waitFor(reply, timeoutMs, signal);
    if (got !== 'timed-out' && got !== 'aborted') return got;
    await thread.end();
    throw stopped(got);
  }

  async function load(signal?: AbortSignal): Promise<ModuleThread> {
    const loading = new ModuleThread(href, context.environment);
    const reply = await inTime(loading, loading.loaded, signal);
    if (reply.kind === 'loaded' && reply.missing.length === 0) return loading;
    await loading.end();
    throw reply.kind === 'loaded'
      ? new ActuatorError('no-function', subject, reply.missing.join(', nor '))
      : new ActuatorError('not-loaded', subject, errorOf(reply));
  }

  async function call(call: Call, signal: AbortSignal | undefined): Promise<void> {
    // A thread may run what it is sent before it can be ended.
    if (signal?.aborted) throw stopped('aborted');
    if (thread.hasEnded) thread = await load(signal);
    const reply = await inTime(thread, thread.call(call), signal);
    if (reply.kind !== 'returned') throw new ActuatorError('threw', subject, errorOf(reply));
  }

  let thread = await load();
  return {
    inject: (mutation, values, signal) =>
      call({ name: 'inject', args: [mutation, toParams(values)] }, signal),
    reset: (signal) => call({ name: 'reset', args: [] }, signal),
    close: () => thread.end(),
  };
}

function errorOf(reply: Reply): string {
  return 'error' in reply ? reply.error : 'it answered out of turn';
}

/** What a module is given for the values. */
function toParams(values: ParameterValues): Record<string, unknown> {
  return Object.fromEntries([...values].map(([key, value]) => [key, toPlain(value)] as const));
}

/** An integer is a number as long as that is exact, and a bigint beyond. */
function toPlain(value: AttributeValue): unknown {
  const isExact = value.type === 'integer' && Number.isSafeInteger(Number(value.value));
  return isExact ? Number(value.value) : value.value;
}
