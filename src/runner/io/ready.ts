import { setTimeout as pause } from 'node:timers/promises';
import { durationText } from '../../values/index.js';
import { runShortCommand, type ShortCommand, shortCommandFailure } from '../short-command.js';

/** Pauses between tries, in milliseconds. The last pause repeats. */
const PAUSES_MS = [50, 100, 200, 500];

/** Returns the message for a system that was not ready before the timeout. */
export function notReadyText(ms: number): string {
  return `the system was not ready within ${durationText(ms)}`;
}

/**
 * Retries a command until its exit status is 0.
 *
 * @param setup includes the timeout for all tries together
 * @returns the reason if the system is not ready before the timeout; undefined if the system is ready or the signal is
 * aborted
 */
export async function waitUntilReady(
  setup: Omit<ShortCommand, 'maxBytes'>,
): Promise<string | undefined> {
  const { timeoutMs: ms, signal } = setup;
  const deadline = performance.now() + ms;
  let reason: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const end = await runShortCommand({ ...setup, timeoutMs });
    const failure = shortCommandFailure('ready', { ...setup, timeoutMs }, end);
    if (failure === undefined || signal.aborted) return undefined;
    // A try cut short by the timeout is less informative than earlier tries.
    if (end.error !== 'timeout') reason = failure;
    reason ??= failure;
    const delay = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] as number;
    if (performance.now() + delay >= deadline) return `${notReadyText(ms)}: ${reason}`;
    await pause(delay, undefined, { signal }).catch(() => {});
  }
}
