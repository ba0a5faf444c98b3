import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScriptSettings } from '../shared/script.js';

/** Timeout for one readiness check. */
const LONGEST_TRY_MS = 5_000;
/** Time after its start at which a service without a readiness check counts as ready. */
const MIN_LIFE_MS = 1_000;
const RETRY_MS = 20;

/**
 * True if a service passes its readiness check.
 *
 * @param ready the setting `ready`
 */
export async function isReady(ready: string): Promise<boolean> {
  const signal = AbortSignal.timeout(LONGEST_TRY_MS);
  const [, host = '', port] = /^\[?([^\s/[\]]+?)\]?:(\d+)$/.exec(ready) ?? [];
  try {
    if (/^https?:/.test(ready)) return (await fetch(ready, { redirect: 'manual', signal })).ok;
    if (port !== undefined) {
      const socket = connect(Number(port), host);
      await once(socket, 'connect', { signal }).finally(() => socket.destroy());
      return true;
    }
    const [command = '', ...args] = ready.split(/\s+/);
    const [code] = await once(execFile(command, args, { signal }), 'exit');
    return code === 0;
  } catch {
    return false;
  }
}

/**
 * Waits until a service is running and ready.
 *
 * @param isRunning returns true if the service is running; throws if it cannot start
 */
export async function awaitReady(
  { ready }: ScriptSettings,
  isRunning: () => boolean,
): Promise<void> {
  const dueAt = performance.now() + MIN_LIFE_MS;
  for (;;) {
    const isUp = isRunning() && (ready ? await isReady(ready) : performance.now() >= dueAt);
    // The service may have ended during the check.
    if (isUp && isRunning()) return;
    await delay(RETRY_MS);
  }
}
