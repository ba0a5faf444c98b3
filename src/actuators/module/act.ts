import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quote } from '../../diagnostics/index.js';
import type { AttributeValue } from '../../values/index.js';
import type { LiveActuator, ParameterValues } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { type ActuatorContext, environmentWith } from '../context.js';
import { waitFor } from '../scheduling.js';
import type { ModuleActuator } from './format.js';
import type { ModuleCall, ModuleThread, Reply } from './module-thread.js';

/** Minimum timeout for loading, because a module may be slow to load even if its calls are fast. */
const MIN_LOADING_MS = 10_000;

/**
 * Creates an actuator that calls a user's ES module in a separate thread, because only a thread can be terminated on a
 * timeout without blocking the server. Loads the module again after a timeout. Rejects with an ActuatorError if the
 * module cannot be loaded or lacks a function.
 */
export async function createModuleActuator(
  mutator: string,
  { path, timeoutMs, env }: ModuleActuator,
  context: ActuatorContext,
): Promise<LiveActuator> {
  const subject = `the module ${quote(path)}`;
  const loadingMs = Math.max(timeoutMs, MIN_LOADING_MS);
  const source = {
    url: pathToFileURL(resolve(context.directory, path)).href,
    environment: environmentWith(env, context),
  };

  /** Waits for a thread's reply. On a timeout or an aborted signal, ends the thread. */
  async function waitForReply(
    thread: ModuleThread,
    reply: Promise<Reply>,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Reply> {
    const result = await waitFor(reply, ms, signal);
    if (result !== 'timed-out' && result !== 'aborted') return result;
    await thread.end();
    throw new ActuatorError(result, subject, `${ms} ms`, timeoutMs);
  }

  /** Returns the current thread, after loading the module. */
  async function loadModule(signal?: AbortSignal): Promise<ModuleThread> {
    const thread = context.threads.current(source);
    const reply = await waitForReply(thread, thread.load(mutator), loadingMs, signal);
    if (reply.kind === 'loaded' && reply.missing.length === 0) return thread;
    throw reply.kind === 'loaded'
      ? new ActuatorError('no-function', subject, reply.missing.join(', nor '))
      : new ActuatorError('not-loaded', subject, errorOf(reply));
  }

  async function call(call: ModuleCall, signal: AbortSignal | undefined): Promise<void> {
    // An aborted call must not reach the thread, because the thread could run the call before it ends.
    if (signal?.aborted) throw new ActuatorError('aborted', subject);
    for (;;) {
      const thread = await loadModule(signal);
      const reply = await waitForReply(thread, thread.call(call), timeoutMs, signal);
      if (reply.kind === 'returned') return;
      // Another call's timeout ended the thread. Retrying a reset is safe.
      if (reply.kind === 'ended' && reply.by === 'us' && call.name === 'reset') continue;
      throw new ActuatorError('threw', subject, errorOf(reply));
    }
  }

  await loadModule();
  return {
    inject: ({ id, params }, signal) =>
      call({ mutator, name: 'inject', args: [id, toParams(params), mutator] }, signal),
    reset: (signal) => call({ mutator, name: 'reset', args: [mutator] }, signal),
    close: () => context.threads.end(source),
  };
}

function errorOf(reply: Reply): string {
  return 'error' in reply ? reply.error : 'it responded out of turn';
}

/** Converts parameter values to a module's `params`. */
function toParams(values: ParameterValues): Record<string, unknown> {
  return Object.fromEntries([...values].map(([key, value]) => [key, toPlain(value)] as const));
}

/** Converts a value to plain JavaScript. An integer becomes a number if exact, otherwise a bigint. */
function toPlain(value: AttributeValue): unknown {
  const isExact = value.type === 'integer' && Number.isSafeInteger(Number(value.value));
  return isExact ? Number(value.value) : value.value;
}
